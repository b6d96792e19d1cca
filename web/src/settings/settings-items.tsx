import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Header, Menu, MenuItem, MenuSection } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { AlertChoices } from '../alerts/alert-choices.tsx';
import { Icon } from '../components/icon.tsx';
import { languages } from '../i18n/i18n.ts';
import { changeSetting, type Settings, useSettings } from './settings.ts';
import '../components/menu.css';

/** The choices of a browser as the items of a menu. */
export function SettingsItems({ label, children }: { readonly label: string; readonly children?: ReactNode }) {
  const { t } = useTranslation();
  const settings = useSettings();
  const themes = ['system', 'light', 'dark', 'night'] as const;
  const onOrOff = [
    ['true', t('on')],
    ['false', t('off')],
  ] as const;
  const densities = ['default', 'compact', 'comfortable'] as const;
  return (
    <Menu className="menu" aria-label={label}>
      {children}
      <Choice
        label={t('theme')}
        name="theme"
        value={settings.theme}
        options={themes.map((one) => [one, t(`themes.${one}`)])}
      />
      <Choice
        label={t('density')}
        name="density"
        value={settings.density}
        options={densities.map((one) => [one, t(`densities.${one}`)])}
      />
      <Choice
        label={t('language')}
        name="language"
        value={settings.language}
        options={[['system', t('languageSystem')], ...languages]}
      />
      <Choice label={t('singleKeys')} name="singleKeys" value={String(settings.singleKeys)} options={onOrOff} />
      <Choice
        label={t('similarWhileWriting')}
        name="similarWhileWriting"
        value={String(settings.similarWhileWriting)}
        options={onOrOff}
      />
      <AlertChoices />
    </Menu>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: keyof Settings;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

function Choice({ label, name, value, options }: ChoiceProps) {
  return (
    <MenuSection
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[`${name}:${value}`]}
      onSelectionChange={(keys) => {
        // The keys of a menu are unique across its sections.
        const chosen = [...(keys as Set<string>)][0]?.slice(name.length + 1);
        if (chosen === undefined) return;
        if (name === 'singleKeys' || name === 'similarWhileWriting') changeSetting(name, chosen === 'true');
        else changeSetting(name, chosen as never);
      }}
    >
      <Header className="menu-heading">{label}</Header>
      {options.map(([id, text]) => (
        <MenuItem key={id} id={`${name}:${id}`} className="menu-item" textValue={text}>
          {({ isSelected }) => (
            <>
              <span>{text}</span>
              {isSelected && (
                <span className="end">
                  <Icon of={Check} />
                </span>
              )}
            </>
          )}
        </MenuItem>
      ))}
    </MenuSection>
  );
}
