import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import type { Facets } from '../api/types.ts';
import { daysAgo, formatDay, formatNumber, formatTime } from '../components/format.ts';
import { formatForSearch } from '../components/search-time.ts';

/** A chosen part of the timeline: the first bar, and the one after the last. */
export interface Brush {
  readonly from: number;
  readonly to: number;
}

type Time = Facets['time'];

/** The end of a bar, in milliseconds. */
export function bucketEnd({ buckets, to }: Time, at: number): number {
  const next = buckets[at + 1]?.start;
  if (next !== undefined) return next;
  const [last, before] = [buckets.at(-1)?.start ?? 0, buckets.at(-2)?.start ?? 0];
  return to ?? 2 * last - before;
}

/** Returns a choice in the form of the search box. A choice that reaches the present has no end. */
export function brushTimes(time: Time, { from, to }: Brush): { readonly start?: string; readonly end?: string } {
  const start = formatForSearch(time.buckets[from]?.start ?? 0);
  const endMs = bucketEnd(time, to - 1);
  if (to === time.buckets.length && endMs >= serverNow() - 1_000) return { start };
  // The search includes both ends, so it must end before the next bar begins.
  return { start, end: formatForSearch(Math.floor((endMs - 1) / 1_000) * 1_000) };
}

function brushCount({ buckets }: Time, { from, to }: Brush): number {
  return buckets.slice(from, to).reduce((sum, { count }) => sum + count, 0);
}

/** Replaces the line that explains the search, so that nothing moves during a choice. */
export function BrushLine({ time, brush }: { readonly time: Time; readonly brush: Brush }) {
  const { t } = useTranslation('find');
  const start = time.buckets[brush.from]?.start ?? 0;
  const end = bucketEnd(time, brush.to - 1);
  const isNow = brush.to === time.buckets.length && end >= serverNow() - 1_000;
  const count = brushCount(time, brush);
  return (
    <>
      <b className="number" role="status">
        {moment(start)} – {isNow ? t('now') : moment(end)}
      </b>
      <span className="number">{t('hits', { count, shown: formatNumber(count) })}</span>
      <span className="grow" />
      <span className="brush-keys">
        <kbd>⏎</kbd> {t('zoomIn')} <kbd>Esc</kbd> {t('keepAll')}
      </span>
    </>
  );
}

export function moment(ms: number): string {
  return daysAgo(ms) === 0 ? formatTime(ms) : `${formatDay(ms)} ${formatTime(ms)}`;
}
