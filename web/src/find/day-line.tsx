import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { daysAgo, formatWeekday } from '../components/format.ts';

/** Today and yesterday by name, and the date. */
function useDayName(): (ms: number) => string {
  const { t } = useTranslation('find');
  return (ms) => {
    const days = daysAgo(ms);
    const name = days === 0 ? t('today') : days === 1 ? t('yesterday') : undefined;
    return name === undefined ? formatWeekday(ms) : t('dayWithName', { name, date: formatWeekday(ms) });
  };
}

/** The line that stays on top of the list: the day of the first entry below it. */
export function DayLine({ hit, pill }: { readonly hit: Hit | undefined; readonly pill: ReactNode }) {
  const dayName = useDayName();
  return (
    <div className="day">
      <span className="cut">{hit ? dayName(hit.createdDate) : '\u00a0'}</span>
      {pill}
    </div>
  );
}

/** The line above the first entry of another day. */
export function DayHeading({ ms }: { readonly ms: number }) {
  const dayName = useDayName();
  return <div className="day">{dayName(ms)}</div>;
}
