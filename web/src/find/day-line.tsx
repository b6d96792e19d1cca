import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { daysAgo, formatLongMonth, formatNumber, formatWeekday } from '../components/format.ts';
import { useToday } from '../components/use-today.ts';
import { type FindSearch, isByDay } from './find-search.ts';
import type { GroupUnit } from './group-unit.ts';
import { useGroupCount } from './use-group-counts.ts';

/** Returns a function that names a day, such as “Today” with its date, or a month. */
function useGroupName(unit: GroupUnit): (ms: number) => string {
  const todayMs = useToday();
  const { t } = useTranslation('find');
  return (ms) => {
    if (unit === 'month') return formatLongMonth(ms);
    const days = daysAgo(ms, todayMs);
    const name = days === 0 ? t('today') : days === 1 ? t('yesterday') : undefined;
    return name === undefined ? formatWeekday(ms) : t('dayWithName', { name, date: formatWeekday(ms) });
  };
}

interface DayLineProps {
  readonly search: FindSearch;
  readonly unit: GroupUnit;
  /** The first entry below the line. */
  readonly hit: Hit | undefined;
  readonly pill: ReactNode;
}

/** The line that stays on top of the list: the day or month of the first entry below it. */
export function DayLine({ search, unit, hit, pill }: DayLineProps) {
  const { t } = useTranslation('find');
  const groupName = useGroupName(unit);
  const name = isByDay(search) ? hit && groupName(hit.createdDate) : t('sorts.relevance');
  return (
    <div className="day">
      <span className="cut">{name ?? '\u00a0'}</span>
      {pill}
      {isByDay(search) && <GroupCount search={search} unit={unit} ms={hit?.createdDate} />}
    </div>
  );
}

interface DayHeadingProps {
  readonly search: FindSearch;
  readonly unit: GroupUnit;
  readonly ms: number;
}

/** The line above the first entry of another day or month. */
export function DayHeading({ search, unit, ms }: DayHeadingProps) {
  const groupName = useGroupName(unit);
  return (
    <div className="day">
      <span className="cut">{groupName(ms)}</span>
      <GroupCount search={search} unit={unit} ms={ms} />
    </div>
  );
}

/** Width of a count in digits. Spaces as wide as digits keep its start in place when it gains a digit. */
const countWidth = 5;
const digitSpace = '\u2007';

/** The number of hits of the day or month. */
function GroupCount({ search, unit, ms }: Omit<DayHeadingProps, 'ms'> & { readonly ms: number | undefined }) {
  const { t } = useTranslation('find');
  const count = useGroupCount(search, unit, ms);
  if (count === undefined) return null;
  return (
    <span className="day-count number">
      <span aria-hidden="true">{formatNumber(count).padStart(countWidth, digitSpace)}</span>
      <span className="visually-hidden">{t('hits', { count, shown: formatNumber(count) })}</span>
    </span>
  );
}
