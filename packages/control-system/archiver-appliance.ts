import {
  type ArchivedKind,
  archivedValue,
  archiverSeverities,
  emptyCurve,
  readSamples,
  toArchivedKind,
  toCurve,
  unknownKind,
} from './archiver-curve.js';
import { nextOf, unclearBins } from './archiver-gaps.js';
import { hasHoles, lastOf } from './archiver-last.js';
import { BackOff } from './back-off.js';
import { HttpClient } from './http-client.js';
import { isRecord, parseLenient, toInstant, toNumber } from './lenient-json.js';
import { readValue } from './read-value.js';
import {
  type Curve,
  type History,
  type HistoryRange,
  type Missing,
  type Readings,
  type Sample,
  type SourceState,
  SourceUnavailable,
} from './sources.port.js';

export interface ArchiverOptions {
  /** Address of the retrieval, such as `http://archiver.example.org:17668/retrieval`. */
  readonly url: string;
  /** Certificates of the only trusted authorities, in PEM; undefined: the authorities that Node.js trusts. */
  readonly caCertificates: string | undefined;
  readonly timeoutMs: number;
  /** Number of consecutive failures that do not pause requests. Default: 0. */
  readonly toleratedFailures?: number;
}

type Gap = Curve['gaps'][number];
type Readable = ReadonlyMap<string, Sample | Missing>;
/** `pvName` is the name under which the archiver stores the device; undefined when unknown. */
type Metadata = ArchivedKind & { readonly pvName: string | undefined };

const maxAnswerBytes = 1_048_576;
/**
 * Maximum age of a value at a moment. The archiver looks a month back by default; some values last longer. The unit is
 * days, because the archiver cannot subtract years and then finds no stored value.
 */
const searchPeriod = 'P365D';
/**
 * Time for which an answer about units is reused: `unknownMs` if the archiver does not have the device, which it may be
 * told to archive at any time. `maxKnownDevices` is the maximum number of such answers.
 */
const metadataMs = 3_600_000;
const unknownMs = 60_000;
const maxKnownDevices = 10_000;
const unknown: Metadata = { ...unknownKind, pvName: undefined };

/** The EPICS Archiver Appliance, accessed through its data retrieval. */
export class ArchiverAppliance implements History {
  private readonly http: HttpClient;
  private readonly backOff: BackOff;
  private readonly metadata = new Map<string, Metadata & { readonly untilMs: number }>();

  constructor({ url, caCertificates, timeoutMs, toleratedFailures }: ArchiverOptions) {
    this.backOff = new BackOff(toleratedFailures);
    this.http = new HttpClient(url.replace(/\/+$/, ''), { caCertificates, timeoutMs, maxBytes: maxAnswerBytes });
  }

  get state(): SourceState {
    return { name: 'archiver', failure: this.backOff.failure };
  }

  readAt(names: readonly string[], atMs: number, signal: AbortSignal): Promise<Readings> {
    return this.backOff.run(signal, async () => {
      const found = await this.dataAt(names, atMs, signal);
      const readings = new Map<string, Sample | Missing>();
      for (const name of names) {
        const reading = (await this.find(name, found, signal)) ?? { missing: 'the archiver has no value of it' };
        readings.set(name, 'missing' in reading ? reading : withMetadata(reading, await this.metadataOf(name, signal)));
      }
      return readings;
    });
  }

  readRange(name: string, range: HistoryRange, signal: AbortSignal): Promise<Curve> {
    return this.backOff.run(signal, async () => {
      const known = await this.metadataOf(name, signal);
      const isBinned = (known.kind === undefined || known.kind === 'number') && !known.isStructured;
      const binned = isBinned ? await this.binnedCurve(name, range, known, signal) : 'absent';
      const curve = binned === 'absent' ? await this.curve({ name }, range, known, signal) : binned;
      if (curve) return curve;
      // The answer is too large, so only one sample of each interval is requested.
      const seconds = Math.max(1, Math.ceil((range.endMs - range.startMs) / 1_000 / range.points));
      const fewer = await this.curve({ name, pv: `firstSample_${seconds}(${name})` }, range, known, signal);
      return fewer ? { ...fewer, isCut: true } : emptyCurve('unreadable', 'its values are too large', known);
    });
  }

  close(): void {
    this.http.close();
  }

  /**
   * Returns undefined when the answer is too large, and `absent` when the archiver has no bins for the device: it sends
   * none for texts, and some servers lack the operator.
   */
  private async binnedCurve(
    name: string,
    range: HistoryRange,
    known: ArchivedKind,
    signal: AbortSignal,
  ): Promise<Curve | 'absent' | undefined> {
    // This operator omits bins without samples. `optimized` repeats the previous bin, even while disconnected.
    const curve = await this.curve({ name, pv: `optimizedSample_${range.points}(${name})` }, range, known, signal);
    const isAbsent = curve?.problems.some(({ code }) => code === 'unknown' || (code === 'empty' && !known.kind));
    return isAbsent ? 'absent' : curve;
  }

  /** Returns undefined when the answer is too large. */
  private async curve(
    { name, pv = name }: { readonly name: string; readonly pv?: string },
    range: HistoryRange,
    known: ArchivedKind,
    signal: AbortSignal,
  ): Promise<Curve | undefined> {
    const whole = { start: Math.floor(range.startMs / 1_000) * 1_000, end: Math.ceil(range.endMs / 1_000) * 1_000 };
    const { status, text } = await this.data(pv, whole, signal);
    if (status === 404) return emptyCurve('unknown', 'the archiver does not have it', known);
    // An error status does not count as a failure of the source, because other devices may still be readable.
    if (status !== 200) return emptyCurve('unavailable', `the archiver answered with status ${status}`, known);
    if (text === undefined) return undefined;
    const answer = readSamples(text);
    if (!answer) return toCurve(answer, range, known);
    const after = nextOf(name, answer.data, range, Date.now());
    const next = after ? await this.samples(after.pv, after.within, signal) : [];
    if (pv === name) return toCurve(answer, range, known, { raw: [], last: [], next });
    const raw: unknown[] = [];
    // If these samples are missing, a gap is as long as the bins without samples.
    for (const bin of unclearBins(answer.data, range)) raw.push(...(await this.samples(name, bin, signal)));
    const last = hasHoles(answer.data, range) ? await this.samples(lastOf(name, range), whole, signal) : [];
    return toCurve(answer, range, known, { raw, last, next });
  }

  /** Returns further samples for a curve; none if they cannot be read. */
  private async samples(pv: string, range: Gap, signal: AbortSignal): Promise<readonly unknown[]> {
    const { status, text } = await this.data(pv, range, signal);
    return status === 200 && text !== undefined ? (readSamples(text)?.data ?? []) : [];
  }

  private data(pv: string, { start, end }: Gap, signal: AbortSignal) {
    const [from, to] = [start, end].map((ms) => new Date(ms).toISOString()) as [string, string];
    return this.http.request(`/data/getData.json?${new URLSearchParams({ pv, from, to })}`, signal);
  }

  /**
   * Reads values at a moment. If the answer is too large, requests it in halves: some devices have values of megabytes.
   */
  private async dataAt(names: readonly string[], atMs: number, signal: AbortSignal): Promise<Readable> {
    const at = encodeURIComponent(new Date(atMs).toISOString());
    const path = `/data/getDataAtTime?at=${at}&includeProxies=true&searchPeriod=${searchPeriod}`;
    const { status, text } = await this.http.request(path, signal, { body: JSON.stringify(names) });
    if (status !== 200) throw new SourceUnavailable(`the archiver answered with status ${status}`);
    if (text !== undefined) return toReadings(parse(text));
    if (names.length === 1) return new Map(names.map((name) => [name, { missing: 'its value is too large' }]));
    const middle = names.length >> 1;
    const halves = [names.slice(0, middle), names.slice(middle)];
    const answers: Readable[] = [];
    for (const half of halves) answers.push(await this.dataAt(half, atMs, signal));
    return new Map(answers.flatMap((answer) => [...answer]));
  }

  /** Finds a value. The archiver may send it under the name under which it stores the device. */
  private async find(name: string, found: Readable, signal: AbortSignal): Promise<Sample | Missing | undefined> {
    const reading = found.get(name) ?? found.get(withoutVal(name));
    if (reading || found.size === 0) return reading;
    const { pvName } = await this.metadataOf(name, signal);
    return pvName === undefined ? undefined : found.get(pvName);
  }

  /** Returns units and precision. A value is shown even if they are unknown. */
  private async metadataOf(name: string, signal: AbortSignal): Promise<Metadata> {
    const known = this.metadata.get(name);
    if (known && performance.now() < known.untilMs) return known;
    const { status, text } = await this.http.request(
      `/bpl/getMetadata?pv=${encodeURIComponent(withoutVal(name))}`,
      signal,
    );
    const answer = status === 200 && text !== undefined ? tryParse(text) : undefined;
    // The archiver may have samples of a device without metadata: a paused one, a field, or one of another archiver.
    const pvName = typeof answer?.pvName === 'string' ? answer.pvName : undefined;
    const metadata = answer ? { ...toArchivedKind(answer), pvName } : unknown;
    if (!answer && status !== 404) return metadata;
    if (this.metadata.size >= maxKnownDevices) this.metadata.clear();
    this.metadata.set(name, { ...metadata, untilMs: performance.now() + (answer ? metadataMs : unknownMs) });
    return metadata;
  }
}

/** Returns the name without its default field, which the archiver does not accept in a request for metadata. */
const withoutVal = (name: string): string => name.replace(/\.VAL$/, '');

function parse(text: string): Readonly<Record<string, unknown>> {
  const answer = tryParse(text);
  if (!answer) throw new SourceUnavailable('the archiver sent something other than a complete answer');
  return answer;
}

function tryParse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const answer = parseLenient(text);
    return isRecord(answer) ? answer : undefined;
  } catch {
    // The archiver truncates an answer if an error occurs while it is sent.
    return undefined;
  }
}

function withMetadata(sample: Sample, { kind, states, units, precision }: Metadata): Sample {
  const index = kind === 'enum' && Number.isInteger(sample.value) ? Number(sample.value) : undefined;
  const state = index === undefined ? undefined : states?.[index];
  return {
    ...sample,
    ...(index !== undefined && { index }),
    value: state ?? sample.value,
    units: units ?? undefined,
    precision: precision ?? undefined,
  };
}

function toReadings(answer: Readonly<Record<string, unknown>>): Readable {
  return new Map(Object.entries(answer).map(([name, sample]) => [name, toSample(sample)]));
}

function toSample(sample: unknown): Sample | Missing {
  if (!isRecord(sample)) return { missing: 'the archiver sent something other than a value' };
  const { kind } = isRecord(sample.meta) ? toArchivedKind(sample.meta) : unknownKind;
  // Asked about a moment, the archiver sends null for a list with a non-finite number.
  const isLost = sample.val === null && kind !== undefined && kind !== 'number';
  if (isLost) return { missing: 'the archiver cannot send its value' };
  const value = readValue(archivedValue(sample.val));
  const atMs = toInstant(sample.secs, sample.nanos);
  if (value === undefined) return { missing: 'the archiver sent a value of an unknown kind' };
  if (atMs === undefined) return { missing: 'its time in the archiver is wrong' };
  const severity = archiverSeverities[toNumber(sample.severity) ?? -1] ?? 'UNDEFINED';
  return { units: undefined, precision: undefined, ...value, severity, atMs };
}
