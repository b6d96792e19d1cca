import { useTranslation } from 'react-i18next';
import { daysAgo, formatDay, formatTime } from '../components/format.ts';
import { useToday } from '../components/use-today.ts';
import './last-visit-line.css';

/** The line between entries since the last visit and older ones. */
export function LastVisitLine({ atMs }: { readonly atMs: number | undefined }) {
  const todayMs = useToday();
  const { t } = useTranslation();
  if (atMs === undefined) return null;
  const day = daysAgo(atMs, todayMs) > 0 ? `${formatDay(atMs)} ` : '';
  return <p className="last-visit-line">{t('readUpToHere', { time: `${day}${formatTime(atMs)}` })}</p>;
}
