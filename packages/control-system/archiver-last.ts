import { binWidthMs, wholeSeconds } from './archiver-bins.js';
import { isRecord, toInstant } from './lenient-json.js';
import type { HistoryRange } from './sources.port.js';

/**
 * Whether a device has changed within a bin before bins without samples. During these, it kept the last value of the
 * bin, and not its mean.
 */
export function keepsUnknown(data: readonly unknown[], range: HistoryRange): boolean {
  const widthMs = binWidthMs(range);
  return data.some((bin, index) => {
    const [, , min, max] = elementsOf(bin);
    const [atMs, nextMs = range.endMs + widthMs / 2] = [atOf(bin), atOf(data[index + 1])];
    return min !== max && atMs !== undefined && nextMs - atMs > 1.5 * widthMs;
  });
}

/**
 * Returns the request for the same bins with their last values. The archiver sends them in addition to bins that have no
 * samples, but without a bin before the range, and nothing for a device that has not changed within it. It fails if a
 * bin is shorter than one second.
 */
export const lastOf = (name: string, range: HistoryRange): string =>
  `optimLastSample_${Math.min(range.points, wholeSeconds(range))}(${name})`;

/** Adds the last values to the bins of the same times, as their sixth element. */
export function withLast(data: readonly unknown[], lastOnes: readonly unknown[]): readonly unknown[] {
  const lastAt = new Map<number | undefined, unknown>();
  for (const bin of lastOnes) {
    const [, , , , count, last] = elementsOf(bin);
    if (typeof count === 'number' && count >= 1) lastAt.set(atOf(bin), last);
  }
  return data.map((bin) => {
    const [elements, last] = [elementsOf(bin), lastAt.get(atOf(bin))];
    return isRecord(bin) && elements.length === 5 && typeof last === 'number'
      ? { ...bin, val: [...elements, last] }
      : bin;
  });
}

const atOf = (bin: unknown): number | undefined => (isRecord(bin) ? toInstant(bin.secs, bin.nanos) : undefined);

/** Returns the elements of a bin; none if it is a single number. */
const elementsOf = (bin: unknown): readonly unknown[] =>
  isRecord(bin) && Array.isArray(bin.val) ? (bin.val as unknown[]) : [];
