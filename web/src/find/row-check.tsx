import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { useSettings } from '../settings/settings.ts';
import type { Selection } from './selection.ts';

interface RowCheckProps {
  readonly hit: Hit;
  readonly index: number;
  readonly selection: Selection;
  /** Whether the Tab key stops at its row. */
  readonly isStop: boolean;
}

/**
 * Check box that selects an entry of the list. It covers the level, and is visible while the pointer is over it or
 * something is selected.
 */
export function RowCheck({ hit, index, selection, isStop }: RowCheckProps) {
  const { t } = useTranslation('find');
  const { singleKeys } = useSettings();
  const { hits, toggle, extendTo } = selection;
  // The key X does the same on the row itself, so that the row needs only one tab stop.
  const isNeeded = !singleKeys || hits.size > 0;
  return (
    <label className="row-check">
      <input
        type="checkbox"
        tabIndex={isStop && isNeeded ? 0 : -1}
        aria-label={t('selectEntry', { title: hit.title })}
        checked={hits.has(hit.id)}
        onChange={({ nativeEvent }) => {
          if (nativeEvent instanceof MouseEvent && nativeEvent.shiftKey) extendTo(index);
          else toggle(index);
        }}
      />
    </label>
  );
}
