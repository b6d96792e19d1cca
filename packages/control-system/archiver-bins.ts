import type { HistorySample, Severity } from './device-view.js';
import { isRecord, toInstant } from './lenient-json.js';
import type { Curve, HistoryRange } from './sources.port.js';

/** A mean from the archiver, or one number. */
export interface Bin {
  readonly sample: HistorySample;
  /** Number of values that the mean represents. */
  readonly count: number;
  /** Last sample in the bin. The device keeps its value until the next bin. */
  readonly last: Pick<HistorySample, 'value' | 'severity'>;
}

/** Equal intervals that cover a range. The first one is before its start. */
interface Grid {
  readonly firstMs: number;
  readonly widthMs: number;
  readonly cells: number;
}

/**
 * Returns the intervals of the archiver. Their width is whole seconds, rounded down, so that there may be twice as many
 * as requested.
 */
function archiverGrid({ startMs, endMs, points }: HistoryRange): Grid {
  // A range is requested in whole seconds.
  const [from, to] = [Math.floor(startMs / 1_000), Math.ceil(endMs / 1_000)];
  const seconds = Math.max(1, Math.floor((to - from) / points));
  const first = Math.floor(from / seconds) - 1;
  const cells = Math.floor(to / seconds) - first + 1;
  return { firstMs: first * seconds * 1_000, widthMs: seconds * 1_000, cells };
}

function evenGrid({ startMs, endMs, points }: HistoryRange): Grid {
  const cells = Math.max(2, points);
  const widthMs = Math.max(1, (endMs - startMs) / (cells - 1));
  return { firstMs: startMs - widthMs, widthMs, cells };
}

/** Returns the width of the archiver's bins in this range. */
export const binWidthMs = (range: HistoryRange): number => archiverGrid(range).widthMs;

const hasExtremes = ({ sample }: Bin): boolean => 'min' in sample;

/**
 * Combines neighbouring bins, in order, until there are at most as many as wanted. No value is omitted, so that the
 * extremes still contain the shortest trip. The archiver sends no bin in which nothing changed: the device kept the
 * previous bin's last value.
 */
export function mergeBins(bins: readonly Bin[], range: HistoryRange, gaps: Curve['gaps']): HistorySample[] {
  const grid = bins.some(hasExtremes) ? archiverGrid(range) : evenGrid(range);
  const groups = Math.min(grid.cells, range.points);
  const byGroup = groupedBins(bins, groups, grid);
  const numbers = [...byGroup.keys()];
  return numbers.flatMap((group, index) => {
    const own = byGroup.get(group) ?? [];
    const combined = combine(own);
    // The middle of the last interval may be after the end of the range, but its values are not.
    const sample = { ...combined, at: outsideOf(gaps, Math.min(combined.at, range.endMs)) };
    const kept = own.at(-1)?.last;
    const next = numbers[index + 1] ?? groups;
    if (next === group + 1 || !kept) return [sample];
    const lastMs = next === groups ? range.endMs : middleOf(next - 1, groups, grid);
    const firstMs = next === group + 2 ? lastMs : middleOf(group + 1, groups, grid);
    return [sample, ...heldSamples(kept, { afterMs: sample.at, firstMs, lastMs }, gaps)];
  });
}

/** Consecutive bins without samples, in which the device kept its value. */
interface Hole {
  /** Time of the sample before the hole. */
  readonly afterMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Returns samples with the kept value at the beginning and the end of a hole, which a gap may cut short. */
function heldSamples({ value, severity }: Bin['last'], { afterMs, firstMs, lastMs }: Hole, gaps: Curve['gaps']) {
  const untilMs = Math.min(gaps.find(({ end }) => end > afterMs)?.start ?? lastMs, lastMs);
  const times = firstMs < untilMs ? [firstMs, untilMs] : [untilMs];
  return times.filter((at) => at > afterMs).map((at): HistorySample => ({ at, severity, value }));
}

/**
 * Moves the time of a bin whose middle is in a gap to the nearest end of the gap, because the values of the bin are
 * before or after the gap. A line from a point in the gap to the next bin would cross the gap.
 */
function outsideOf(gaps: Curve['gaps'], at: number): number {
  const gap = gaps.find(({ start, end }) => start < at && at < end);
  if (!gap) return at;
  return at - gap.start <= gap.end - at ? gap.start : gap.end;
}

function groupedBins(bins: readonly Bin[], groups: number, { firstMs, widthMs, cells }: Grid): Map<number, Bin[]> {
  const byGroup = new Map<number, Bin[]>();
  for (const bin of bins) {
    const cell = Math.floor((bin.sample.at - firstMs) / widthMs);
    const group = Math.floor((Math.min(Math.max(cell, 0), cells - 1) * groups) / cells);
    const others = byGroup.get(group);
    if (others) others.push(bin);
    else byGroup.set(group, [bin]);
  }
  return byGroup;
}

/** Returns the time of a sample or bin of the archiver; undefined when it has none. */
export const timeOf = (sample: unknown): number | undefined =>
  isRecord(sample) ? toInstant(sample.secs, sample.nanos) : undefined;

function middleOf(group: number, groups: number, { firstMs, widthMs, cells }: Grid): number {
  const [from, to] = [group, group + 1].map((one) => Math.ceil((one * cells) / groups)) as [number, number];
  return Math.floor(firstMs + ((from + to) / 2) * widthMs);
}

/** Combines ordered bins into one at their midpoint. */
function combine(bins: readonly Bin[]): HistorySample {
  const [first, last] = [bins[0]?.sample, bins.at(-1)?.sample];
  if (!first || !last || first === last) return first ?? { at: 0, value: null, severity: 'UNDEFINED' };
  const head = { at: Math.floor((first.at + last.at) / 2), severity: worstOf(bins) };
  const numbers = bins.filter(({ sample }) => sample.value !== null);
  if (numbers.length === 0) return { ...head, value: null };
  const total = numbers.reduce((sum, { count }) => sum + count, 0);
  let [value, min, max] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { sample, count } of numbers) {
    const mean = sample.value ?? 0;
    value += mean * (count / total);
    min = Math.min(min, sample.min ?? mean);
    max = Math.max(max, sample.max ?? mean);
  }
  return { ...head, value, min, max };
}

/** Severities, the worst one last. */
const severities: readonly Severity[] = ['NONE', 'UNDEFINED', 'MINOR', 'MAJOR', 'INVALID'];

const worstOf = (bins: readonly Bin[]): Severity => worst(bins.map(({ sample }) => sample.severity));

export function worst(found: readonly Severity[]): Severity {
  return severities[Math.max(...found.map((one) => severities.indexOf(one)))] ?? 'UNDEFINED';
}
