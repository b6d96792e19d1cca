import { type Bin, mergeBins } from './archiver-bins.js';
import { gapsOf } from './archiver-gaps.js';
import { withLast } from './archiver-last.js';
import type { Display, HistorySample, Problem, Severity, ValueKind } from './device-view.js';
import { noDisplay, readLimits, readStates, readUnits } from './display.js';
import { isRecord, parseLenient, toDigits, toInstant, toNumber } from './lenient-json.js';
import { readValue } from './read-value.js';
import { shownValue } from './shown-value.js';
import type { Curve, HistoryRange } from './sources.port.js';

/** Severities by their numbers in the archiver. */
export const archiverSeverities: readonly Severity[] = ['NONE', 'MINOR', 'MAJOR', 'INVALID'];

/** Kind and display of a device according to the archiver. */
export interface ArchivedKind extends Display {
  readonly kind: ValueKind | undefined;
  /** Whether its values are structures of pvAccess, such as 64-bit integers, which the archiver cannot bin. */
  readonly isStructured: boolean;
}

export const unknownKind: ArchivedKind = { ...noDisplay, kind: undefined, isStructured: false };

type Fields = Readonly<Record<string, unknown>>;

const limitFields = {
  displayLow: 'LOPR',
  displayHigh: 'HOPR',
  alarmLow: 'LOLO',
  warningLow: 'LOW',
  warningHigh: 'HIGH',
  alarmHigh: 'HIHI',
} as const;

/** Returns a curve without samples, with the reason. */
export function emptyCurve(code: Problem['code'], reason: string, known: ArchivedKind): Curve {
  const { kind = 'number', units, precision, states, limits } = known;
  const problems = [{ source: 'history', code, reason } as const];
  return { units, precision, states, limits, kind, isBinned: false, isCut: false, samples: [], gaps: [], problems };
}

/** Reads the metadata of a device: fields that are all strings. */
export function toArchivedKind(metadata: Fields): ArchivedKind {
  const { EGU: units, PREC: precision, DBRType: type } = metadata;
  const decimals = Number.parseFloat(String(precision));
  return {
    ...noDisplay,
    units: readUnits(units) ?? null,
    precision: decimals >= 0 && decimals <= 15 ? Math.trunc(decimals) : null,
    limits: readLimits(metadata, limitFields),
    states: statesOf(metadata),
    kind: typeof type === 'string' && type !== structuredType ? toKind(type) : undefined,
    isStructured: type === structuredType,
  };
}

const structuredType = 'DBR_V4_GENERIC_BYTES';

/**
 * Returns the value of a sample, which the archiver may send in a pvAccess structure. Numbers that are not finite may
 * be null.
 */
export function archivedValue(val: unknown): unknown {
  const value = isRecord(val) && toDigits(val) === undefined ? val.value : val;
  if (value === null) return Number.NaN;
  return Array.isArray(value) ? value.map((one: unknown) => one ?? Number.NaN) : value;
}

const maxStates = 256;

/** Returns the states of an enumeration, which are the fields `ENUM_0`, `ENUM_1` and so on. */
function statesOf(metadata: Fields): readonly string[] | null {
  const states: string[] = [];
  for (let state = 0; state < maxStates; state++) {
    const name = metadata[`ENUM_${state}`];
    if (typeof name !== 'string') break;
    states.push(name);
  }
  return states.length > 0 ? readStates(states) : null;
}

/** @param type name of the type, such as `DBR_SCALAR_DOUBLE` */
function toKind(type: string): ValueKind {
  if (type.includes('WAVEFORM')) return 'array';
  if (type.endsWith('ENUM')) return 'enum';
  return type.endsWith('STRING') ? 'text' : 'number';
}

/** Samples of one device in an answer of the archiver; undefined: it was not complete. */
export type ArchivedSamples = { readonly meta: Fields | undefined; readonly data: readonly unknown[] } | undefined;

/** Samples that are requested in addition to bins. */
interface FurtherSamples {
  /** Samples in bins of `unclearBins`. */
  readonly raw: readonly unknown[];
  /** The last sample in each bin. */
  readonly last: readonly unknown[];
  /** Samples of `nextOf`. */
  readonly next: readonly unknown[];
}

const none: FurtherSamples = { raw: [], last: [], next: [] };

/** Returns the curve in an answer. */
export function toCurve(
  answer: ArchivedSamples,
  range: HistoryRange,
  known: ArchivedKind,
  { raw, last, next }: FurtherSamples = none,
): Curve {
  if (!answer) return emptyCurve('unreadable', 'the archiver sent something other than a complete answer', known);
  const { meta, data } = answer;
  const display = meta ? combined(toArchivedKind(meta), known) : known;
  const read = toBins(data, display);
  const whole = withLast(read, toBins(last, display), range);
  const inside = inRange(samplesOf(whole), range);
  const kind = display.kind ?? (display.states ? 'enum' : kindOf(inside, data));
  const gaps = gapsOf({ data, raw, meta, next }, range);
  const samples = kind === 'number' ? inRange(merge(whole, range, gaps), range) : thin(inside, range);
  const lost = data.length - read.length;
  const problems = problemsOf(samples.length, lost);
  const isBinned = isMean(samples);
  const { units, precision, states, limits } = display;
  const isCut = kind !== 'number' && samples.length < inside.length;
  return { kind, isBinned, isCut, units, precision, states, limits, samples, gaps, problems };
}

const samplesOf = (bins: readonly Bin[]): readonly HistorySample[] => bins.map(({ sample }) => sample);
const isMean = (samples: readonly HistorySample[]): boolean => samples.some((sample) => 'min' in sample);

/** Merges means, and numbers if there are too many. */
function merge(bins: readonly Bin[], range: HistoryRange, gaps: Curve['gaps']): readonly HistorySample[] {
  const samples = samplesOf(bins);
  return isMean(samples) || samples.length > range.points ? mergeBins(bins, range, gaps) : samples;
}

function problemsOf(samples: number, lost: number): Problem[] {
  const source = 'history' as const;
  if (lost > 0) return [{ source, code: 'unreadable', reason: `${lost} samples of the archiver are not values` }];
  return samples > 0 ? [] : [{ source, code: 'empty', reason: 'the archiver has no values in this time' }];
}

/** Reads an answer with the samples of one device. */
export function readSamples(text: string): ArchivedSamples {
  try {
    const answer = parseLenient(text);
    if (!Array.isArray(answer)) return undefined;
    if (answer.length === 0) return { meta: undefined, data: [] };
    const [first] = answer as unknown[];
    if (!isRecord(first) || !Array.isArray(first.data)) return undefined;
    return { meta: isRecord(first.meta) ? first.meta : undefined, data: first.data };
  } catch {
    // The archiver truncates an answer if an error occurs while it is sent.
    return undefined;
  }
}

/**
 * Combines the metadata of an answer with separately requested metadata, which are more complete except for the states.
 */
function combined(answered: ArchivedKind, known: ArchivedKind): ArchivedKind {
  const limits = Object.values(known.limits).some((limit) => limit !== null) ? known.limits : answered.limits;
  const { units, precision, states, kind } = known;
  return {
    limits,
    units: units ?? answered.units,
    precision: precision ?? answered.precision,
    states: states ?? answered.states,
    kind: kind ?? answered.kind,
    isStructured: known.isStructured || answered.isStructured,
  };
}

function kindOf(samples: readonly HistorySample[], data: readonly unknown[]): ValueKind {
  if (samples.length === 0 || samples.some(({ text }) => text === undefined)) return 'number';
  return data.some((one) => isRecord(one) && Array.isArray(archivedValue(one.val))) ? 'array' : 'text';
}

/** Returns the bins and samples in an answer in the order of their times. Omits those without a value. */
function toBins(data: readonly unknown[], display: ArchivedKind): Bin[] {
  return data.flatMap((sample) => toBin(sample, display) ?? []).sort((one, other) => one.sample.at - other.sample.at);
}

function toBin(sample: unknown, { kind, units, precision, states }: ArchivedKind): Bin | undefined {
  if (!isRecord(sample)) return undefined;
  const at = toInstant(sample.secs, sample.nanos);
  if (at === undefined) return undefined;
  const head = { at, severity: archiverSeverities[toNumber(sample.severity) ?? -1] ?? 'UNDEFINED' };
  const read = readValue(archivedValue(sample.val));
  if (!read) return undefined;
  const { value } = read;
  if (typeof value === 'number') {
    const state = kind === 'enum' ? states?.[value] : undefined;
    return single({ ...head, value: orGap(value), ...(state !== undefined && { text: state }) });
  }
  const isBin = Array.isArray(sample.val) && kind !== 'array' && value.length === binLength;
  if (isBin && typeof value !== 'string') return meanOf(value, head);
  const text = shownValue({ ...read, units: units ?? undefined, precision: precision ?? undefined });
  return single({ ...head, value: null, text });
}

const single = (sample: HistorySample): Bin => ({ sample, count: 1, last: sample });

/** Number of elements of a bin: mean, standard deviation, minimum, maximum, count. */
const binLength = 5;

function meanOf(elements: readonly number[], head: Pick<HistorySample, 'at' | 'severity'>): Bin {
  const [mean = Number.NaN, , min = Number.NaN, max = Number.NaN, count = 1] = elements;
  const hasExtremes = Number.isFinite(min) && Number.isFinite(max);
  const sample = { ...head, value: orGap(mean), ...(hasExtremes && { min, max }) };
  // The last sample is not known yet.
  return { sample, count: count >= 1 ? count : 1, last: sample };
}

const orGap = (number: number): number | null => (Number.isFinite(number) ? number : null);

/** Omits samples outside of the range, except the last one before it. */
function inRange(samples: readonly HistorySample[], { startMs, endMs }: HistoryRange): readonly HistorySample[] {
  const from = samples.findIndex(({ at }) => at > startMs);
  const before = from < 0 ? samples.length - 1 : Math.max(0, from - 1);
  return samples.slice(before).filter(({ at }) => at <= endMs);
}

/** Keeps the first sample of each interval when there are too many. */
function thin(samples: readonly HistorySample[], { points }: HistoryRange): readonly HistorySample[] {
  if (samples.length <= points) return samples;
  return Array.from({ length: points }, (_, at) => samples[Math.floor((at * samples.length) / points)]).filter(
    (sample) => sample !== undefined,
  );
}
