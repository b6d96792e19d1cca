import { Combine, X } from 'lucide-react';
import { lazy, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { LatePart } from '../components/late-part.tsx';
import { holdKeys } from '../keys/held-keys.ts';
import { shownKeys } from '../keys/shortcuts.ts';
import { useShortcut } from '../keys/use-shortcut.ts';
import { showToast } from '../toasts/toasts.ts';
import type { Selection } from './selection.ts';
import './selection.css';

const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.tsx')).GroupDialog }));

/** The number of selected entries, and the actions on them. */
export function SelectionBar({ selection }: { readonly selection: Selection }) {
  const { t } = useTranslation('find');
  const [isGrouping, setGrouping] = useState(false);
  const { hits, clear } = selection;
  const count = hits.size;
  const group = () => {
    if (count < 2) {
      showToast(t('selectMore'));
      return;
    }
    holdKeys();
    setGrouping(true);
  };
  useShortcut('groupSelected', group, count > 0);
  useShortcut('clearSelection', clear, count > 0);
  return (
    <>
      <div className={count > 0 ? 'selection-bar' : 'visually-hidden'}>
        <strong role="status">{count > 0 && t('selected', { count })}</strong>
        {count > 0 && (
          <>
            <button type="button" className="button small" onClick={group}>
              <Icon of={Combine} />
              {t('group')}
              <kbd>{shownKeys('groupSelected')}</kbd>
            </button>
            <button type="button" className="button ghost small" onClick={clear}>
              <Icon of={X} />
              {t('clearSelection')}
              <kbd>{shownKeys('clearSelection')}</kbd>
            </button>
          </>
        )}
      </div>
      {isGrouping && (
        <LatePart onClose={() => setGrouping(false)}>
          <GroupDialog hits={[...hits.values()]} onClose={() => setGrouping(false)} onGrouped={clear} />
        </LatePart>
      )}
    </>
  );
}
