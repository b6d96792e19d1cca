import { Bot, ChevronDown, ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { formatDay, formatNumber, formatTime } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';

interface FoldRowProps {
  /** The first of the entries in the list, and the last. */
  readonly hits: readonly [Hit, Hit];
  readonly count: number;
  readonly isUnfolded: boolean;
  readonly withDay: boolean;
  /** Whether the Tab key stops at it. */
  readonly isStop: boolean;
}

/** Stands for consecutive automatic entries. The list handles clicks and keys. */
export function FoldRow({ hits: [first, last], count, isUnfolded, withDay, isStop }: FoldRowProps) {
  const { t } = useTranslation('find');
  const format = withDay ? formatDay : formatTime;
  const times = [first.createdDate, last.createdDate].sort((one, other) => one - other).map((ms) => format(ms));
  return (
    <button
      type="button"
      className="fold-row"
      tabIndex={isStop ? 0 : -1}
      data-id={first.id}
      data-fold=""
      aria-expanded={isUnfolded}
    >
      <Icon of={isUnfolded ? ChevronDown : ChevronRight} />
      <Icon of={Bot} />
      <span className="cut">
        {t('automatic', { count, shown: formatNumber(count), times: [...new Set(times)].join('–') })}
      </span>
    </button>
  );
}
