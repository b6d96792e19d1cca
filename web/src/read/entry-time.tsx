import { useTranslation } from 'react-i18next';
import { daysAgo, formatAgo, formatMoment, formatTime, formatWeekday } from '../components/format.ts';
import { useToday } from '../components/use-today.ts';

/** The day, the time, and how long ago that was. */
export function EntryTime({ ms }: { readonly ms: number }) {
  const todayMs = useToday();
  const { t } = useTranslation('find');
  const days = daysAgo(ms, todayMs);
  const day = days === 0 ? t('today') : days === 1 ? t('yesterday') : formatWeekday(ms);
  return (
    <time className="number" dateTime={new Date(ms).toISOString()} title={new Date(ms).toLocaleString()}>
      <span className="on-screen">
        {day} {formatTime(ms)}, {formatAgo(ms)}
      </span>
      <span className="print-only">{formatMoment(ms)}</span>
    </time>
  );
}
