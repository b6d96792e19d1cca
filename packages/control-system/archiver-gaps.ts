import { binWidthMs, timeOf } from './archiver-bins.js';
import { isRecord, toInstant } from './lenient-json.js';
import type { Curve, HistoryRange } from './sources.port.js';

type Fields = Readonly<Record<string, unknown>>;
type Gap = Curve['gaps'][number];

/**
 * Minimum age of a value for which an archiver restart is not a gap. Such a value has not changed for long, and the
 * archiver stores it again after the restart.
 */
const unchangedMs = 60_000;

/** Samples and bins of the archiver, in order. */
export interface GapSources {
  readonly data: readonly unknown[];
  /** Samples in bins of `unclearBins`. */
  readonly raw: readonly unknown[];
  readonly meta: Fields | undefined;
  /** Samples after the range; empty when it ends with samples, or now. */
  readonly next: readonly unknown[];
}

/**
 * Returns the request for the first sample after a range that ends without samples; undefined: the range ends with
 * samples, or now. Only this sample tells whether the connection was lost. It is searched for within a day.
 */
export function nextOf(name: string, data: readonly unknown[], range: HistoryRange, nowMs: number) {
  const lastMs = Math.max(...data.map((sample) => timeOf(sample) ?? 0));
  const isSilent = lastMs > 0 && range.endMs - lastMs > Math.max(1.5 * binWidthMs(range), unchangedMs);
  if (!isSilent || range.endMs > nowMs - unchangedMs) return undefined;
  // The intervals have half the length of the time since the epoch, so that one of them begins at the end of the range.
  const seconds = Math.ceil(range.endMs / 2_000);
  const start = seconds * 2_000;
  return { pv: `firstSample_${seconds}(${name})`, within: { start, end: Math.min(start + dayMs, nowMs) } };
}

const dayMs = 86_400_000;

/** Maximum number of bins whose samples are requested for one curve. */
const maxUnclear = 4;

/**
 * Returns the time ranges of bins within which the connection was regained, after bins without samples. Only the
 * samples tell whether the connection was lost during the bins without samples, or the device did not change in them.
 * If there are many, returns the latest.
 */
export function unclearBins(data: readonly unknown[], range: HistoryRange): readonly Gap[] {
  const widthMs = binWidthMs(range);
  const unclear: Gap[] = [];
  let beforeMs: number | undefined;
  for (const sample of data) {
    const atMs = timeOf(sample);
    if (!isRecord(sample) || atMs === undefined) continue;
    const isAfterHole = beforeMs !== undefined && atMs - beforeMs > 1.5 * widthMs;
    if (isAfterHole && isReconnected(sample)) unclear.push({ start: atMs - widthMs / 2, end: atMs + widthMs / 2 });
    beforeMs = atMs;
  }
  return unclear.slice(-maxUnclear);
}

const isReconnected = ({ fields }: Fields): boolean => isRecord(fields) && fields.connectionChange === 'true';

/**
 * Returns the gaps in the connection, in order. The first sample after a gap records it, and the bin with this sample
 * states that there was one. Metadata record a gap that still lasts.
 */
export function gapsOf({ data, raw, meta, next }: GapSources, range: HistoryRange): readonly Gap[] {
  const gaps: Gap[] = [];
  const recorded = raw.flatMap((sample) => recordedGap(sample) ?? []);
  const widthMs = binWidthMs(range);
  const following = next.find((sample) => (timeOf(sample) ?? 0) > range.endMs);
  let beforeMs: number | undefined;
  for (const sample of [...data, following]) {
    const atMs = timeOf(sample);
    if (!isRecord(sample) || atMs === undefined) continue;
    const inBin = ({ end }: Gap) => Math.abs(end - atMs) <= widthMs / 2 + 1_000;
    const known = isReconnected(sample) ? recorded.find(inBin) : undefined;
    const gap = known ?? (isRecord(sample.fields) ? gapBefore(sample.fields, { atMs, beforeMs, widthMs }) : undefined);
    if (gap) gaps.push(gap);
    beforeMs = atMs;
  }
  const lostMs = toTime(meta?.cnxlostepsecs);
  if (lostMs !== undefined) gaps.push({ start: lostMs, end: range.endMs });
  return gaps
    .map(({ start, end }) => ({ start: Math.max(start, range.startMs), end: Math.min(end, range.endMs) }))
    .filter(({ start, end }) => start < end)
    .sort((one, other) => one.start - other.start);
}

interface Neighbourhood {
  readonly atMs: number;
  /** Time of the previous sample; undefined: none. */
  readonly beforeMs: number | undefined;
  /** Width of a bin. */
  readonly widthMs: number;
}

/** Returns the gap that a sample or bin records; undefined when there is none. */
function gapBefore(fields: Fields, { atMs, beforeMs, widthMs }: Neighbourhood): Gap | undefined {
  // A bin only states that the connection was regained within it. The bins without samples before it are the gap.
  if (fields.connectionChange === 'true') {
    return beforeMs === undefined ? undefined : { start: beforeMs + widthMs / 2, end: atMs - widthMs / 2 };
  }
  const recorded = recordedGap({ fields });
  if (recorded) return recorded;
  const regainedMs = toTime(fields.cnxregainedepsecs);
  if (regainedMs === undefined) return undefined;
  // After its restart, the archiver does not know when it lost the connection.
  const isRestart = fields.startup === 'true' && regainedMs - atMs < unchangedMs;
  return isRestart && beforeMs !== undefined ? { start: beforeMs, end: regainedMs } : undefined;
}

/** Returns the gap whose start and end a sample records; undefined when there is none. */
function recordedGap(sample: unknown): Gap | undefined {
  const fields = isRecord(sample) && isRecord(sample.fields) ? sample.fields : {};
  const [lostMs, regainedMs] = [toTime(fields.cnxlostepsecs), toTime(fields.cnxregainedepsecs)];
  return lostMs === undefined || regainedMs === undefined ? undefined : { start: lostMs, end: regainedMs };
}

/** Reads a time in seconds; undefined for 0 (none). */
const toTime = (value: unknown): number | undefined => toInstant(typeof value === 'string' ? Number(value) : value, 0);
