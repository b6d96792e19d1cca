import { X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../components/icon-button.tsx';
import { Keys } from '../components/keys.tsx';
import { Modal } from '../components/modal.tsx';
import { changeSetting, useSettings } from '../settings/settings.ts';
import './keys-sheet.css';
import { type ShortcutName, shortcuts, shownKeys } from './shortcuts.ts';

const groups = ['anywhere', 'list', 'entry'] as const;

/** All shortcuts, and the switch for those of a single key. */
export function KeysSheet({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('palette');
  const { t: tCommon } = useTranslation();
  return (
    <Modal className="keys-sheet" label={tCommon('keyboard')} onClose={onClose}>
      <header className="row">
        <h1 className="grow">{tCommon('keyboard')}</h1>
        <SingleKeysSwitch />
        <IconButton icon={X} small label={tCommon('close')} onClick={onClose} />
      </header>
      <div className="key-groups">
        {groups.map((group) => (
          <section key={group}>
            <h2>{t(`groups.${group}`)}</h2>
            <ul>
              {namesOf(group).map((name) => (
                <li key={name}>
                  <span>{t(`keys.${name}`)}</span>
                  <span className="pressed">
                    <Keys of={shownKeys(name)} />
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Modal>
  );
}

function namesOf(group: (typeof groups)[number]): ShortcutName[] {
  return (Object.keys(shortcuts) as ShortcutName[]).filter((name) => shortcuts[name].group === group);
}

/** Speech input and stray keys make single keys a nuisance for some: they can be switched off. */
function SingleKeysSwitch() {
  const { t } = useTranslation();
  const { singleKeys } = useSettings();
  return (
    <>
      <span className="muted" id="single-keys">
        {t('singleKeys')}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: two buttons, not fields of a form */}
      <span className="segment" role="group" aria-labelledby="single-keys">
        {[true, false].map((isOn) => (
          <button
            key={String(isOn)}
            type="button"
            className="button"
            aria-pressed={singleKeys === isOn}
            onClick={() => changeSetting('singleKeys', isOn)}
          >
            {t(isOn ? 'on' : 'off')}
          </button>
        ))}
      </span>
    </>
  );
}
