import { binWidthMs } from './archiver-bins.js';
import { isRecord, toInstant } from './lenient-json.js';
import type { Curve, HistoryRange } from './sources.port.js';

type Fields = Readonly<Record<string, unknown>>;
type Gap = Curve['gaps'][number];

/**
 * Age of a value from which a restart of the archiver is no gap before it: the device has not changed since, and the
 * archiver stores its value again.
 */
const unchangedMs = 60_000;

/**
 * Returns the gaps in the connection, in order. The first sample after a gap records it, and the bin with this sample
 * states that there was one. Metadata record a gap that still lasts.
 * @param data samples of the archiver, in order
 */
export function gapsOf(data: readonly unknown[], meta: Fields | undefined, range: HistoryRange): readonly Gap[] {
  const gaps: Gap[] = [];
  const widthMs = binWidthMs(range);
  let beforeMs: number | undefined;
  for (const sample of data) {
    const atMs = isRecord(sample) ? toInstant(sample.secs, sample.nanos) : undefined;
    if (!isRecord(sample) || atMs === undefined) continue;
    const gap = isRecord(sample.fields) ? gapBefore(sample.fields, { atMs, beforeMs, widthMs }) : undefined;
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
  /** Time of the sample before; undefined: there is none. */
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
  const [lostMs, regainedMs] = [toTime(fields.cnxlostepsecs), toTime(fields.cnxregainedepsecs)];
  if (regainedMs === undefined) return undefined;
  if (lostMs !== undefined) return { start: lostMs, end: regainedMs };
  // After its restart, the archiver does not know when it lost the connection.
  const isRestart = fields.startup === 'true' && regainedMs - atMs < unchangedMs;
  return isRestart && beforeMs !== undefined ? { start: beforeMs, end: regainedMs } : undefined;
}

/** Reads a time in seconds; undefined for none, which is 0. */
const toTime = (value: unknown): number | undefined => toInstant(typeof value === 'string' ? Number(value) : value, 0);
