import { type Bin, binWidthMs, timeOf, worst } from './archiver-bins.js';
import { isRecord } from './lenient-json.js';
import type { HistoryRange } from './sources.port.js';

/** Whether bins without samples follow any bin. In them, the device kept the last value of that bin, not its mean. */
export function hasHoles(data: readonly unknown[], range: HistoryRange): boolean {
  const widthMs = binWidthMs(range);
  return data.some((bin, index) => {
    const [atMs, nextMs = range.endMs + widthMs / 2] = [timeOf(bin), timeOf(data[index + 1])];
    return isRecord(bin) && Array.isArray(bin.val) && atMs !== undefined && nextMs - atMs > 1.5 * widthMs;
  });
}

/** Returns the request for the last sample in each bin. */
export const lastOf = (name: string, range: HistoryRange): string => `lastSample_${binWidthMs(range) / 1_000}(${name})`;

/**
 * Adds the last samples to the bins in which they are. The first bin may be before the range; it has the last sample
 * before the range, which may be much older, and the archiver omits its severity.
 */
export function withLast(bins: readonly Bin[], samples: readonly Bin[], range: HistoryRange): readonly Bin[] {
  const halfMs = binWidthMs(range) / 2;
  let at = 0;
  return bins.map((bin, index) => {
    const [fromMs, toMs] = [bin.sample.at - halfMs, bin.sample.at + halfMs];
    const isBefore = index === 0 && toMs <= range.startMs;
    const endMs = isBefore ? range.startMs : toMs;
    while ((samples[at]?.sample.at ?? endMs) < endMs) at++;
    const last = samples[at - 1]?.sample;
    if (!last || !(isBefore || last.at >= fromMs)) return bin;
    return { ...bin, last, sample: { ...bin.sample, severity: worst([bin.sample.severity, last.severity]) } };
  });
}
