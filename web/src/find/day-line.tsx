import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { daysAgo, formatNumber, formatWeekday } from '../components/format.ts';
import { type FindSearch, isByDay } from './find-search.ts';
import { useDayCount } from './use-day-counts.ts';

/** Today and yesterday by name, and the date. */
function useDayName(): (ms: number) => string {
  const { t } = useTranslation('find');
  return (ms) => {
    const days = daysAgo(ms);
    const name = days === 0 ? t('today') : days === 1 ? t('yesterday') : undefined;
    return name === undefined ? formatWeekday(ms) : t('dayWithName', { name, date: formatWeekday(ms) });
  };
}

interface DayLineProps {
  readonly search: FindSearch;
  /** The first entry below the line. */
  readonly hit: Hit | undefined;
  readonly pill: ReactNode;
}

/** The line that stays on top of the list: the day of the first entry below it. */
export function DayLine({ search, hit, pill }: DayLineProps) {
  const { t } = useTranslation('find');
  const dayName = useDayName();
  const name = isByDay(search) ? hit && dayName(hit.createdDate) : t('sorts.relevance');
  return (
    <div className="day">
      <span className="cut">{name ?? '\u00a0'}</span>
      {pill}
      {isByDay(search) && <DayCount search={search} ms={hit?.createdDate} />}
    </div>
  );
}

/** The line above the first entry of another day. */
export function DayHeading({ search, ms }: { readonly search: FindSearch; readonly ms: number }) {
  const dayName = useDayName();
  return (
    <div className="day">
      <span className="cut">{dayName(ms)}</span>
      <DayCount search={search} ms={ms} />
    </div>
  );
}

/** The number of hits on the day. */
function DayCount({ search, ms }: { readonly search: FindSearch; readonly ms: number | undefined }) {
  const { t } = useTranslation('find');
  const count = useDayCount(search, ms);
  if (count === undefined) return null;
  return (
    <span className="day-count number">
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="visually-hidden">{t('hits', { count, shown: formatNumber(count) })}</span>
    </span>
  );
}
