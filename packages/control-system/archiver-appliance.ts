import { BackOff } from './back-off.js';
import { HttpClient } from './http-client.js';
import { isRecord, parseLenient, toInstant, toNumber } from './lenient-json.js';
import {
  type History,
  type Missing,
  type Readings,
  type Sample,
  type Severity,
  type SourceState,
  SourceUnavailable,
} from './sources.port.js';

export interface ArchiverOptions {
  /** Address of the retrieval, such as `http://archiver.example.org:17668/retrieval`. */
  readonly url: string;
  /** PEM of the only trusted authorities. Undefined: the authorities that Node.js trusts. */
  readonly caCertificates: string | undefined;
  readonly timeoutMs: number;
}

type Readable = ReadonlyMap<string, Sample | Missing>;
type Metadata = Pick<Sample, 'units' | 'precision'>;

const maxAnswerBytes = 1_048_576;
/** How long an answer about units is used, and for how many devices. */
const metadataMs = 3_600_000;
const maxKnownDevices = 10_000;
const severities: readonly Severity[] = ['NONE', 'MINOR', 'MAJOR', 'INVALID'];
const unknown: Metadata = { units: undefined, precision: undefined };

/** The EPICS Archiver Appliance, through its data retrieval. */
export class ArchiverAppliance implements History {
  private readonly http: HttpClient;
  private readonly backOff = new BackOff();
  private readonly metadata = new Map<string, Metadata & { readonly untilMs: number }>();

  constructor({ url, caCertificates, timeoutMs }: ArchiverOptions) {
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
        const reading = found.get(name) ?? { missing: 'the archiver has no value of it' };
        readings.set(name, 'missing' in reading ? reading : { ...reading, ...(await this.metadataOf(name, signal)) });
      }
      return readings;
    });
  }

  close(): void {
    this.http.close();
  }

  /** An answer that is too large is requested in halves: some devices have values of megabytes. */
  private async dataAt(names: readonly string[], atMs: number, signal: AbortSignal): Promise<Readable> {
    const at = encodeURIComponent(new Date(atMs).toISOString());
    const path = `/data/getDataAtTime?at=${at}&includeProxies=true`;
    const { status, text } = await this.http.request(path, signal, JSON.stringify(names));
    if (status !== 200) throw new SourceUnavailable(`the archiver answered with status ${status}`);
    if (text !== undefined) return toReadings(parse(text));
    if (names.length === 1) return new Map(names.map((name) => [name, { missing: 'its value is too large' }]));
    const middle = names.length >> 1;
    const halves = [names.slice(0, middle), names.slice(middle)];
    const answers: Readable[] = [];
    for (const half of halves) answers.push(await this.dataAt(half, atMs, signal));
    return new Map(answers.flatMap((answer) => [...answer]));
  }

  /** Returns units and precision; unknown ones do not prevent that the value is shown. */
  private async metadataOf(name: string, signal: AbortSignal): Promise<Metadata> {
    const known = this.metadata.get(name);
    if (known && performance.now() < known.untilMs) return { units: known.units, precision: known.precision };
    const { status, text } = await this.http.request(`/bpl/getMetadata?pv=${encodeURIComponent(name)}`, signal);
    const metadata = status === 200 && text !== undefined ? toMetadata(parse(text)) : unknown;
    if (status >= 500) return metadata;
    if (this.metadata.size >= maxKnownDevices) this.metadata.clear();
    this.metadata.set(name, { ...metadata, untilMs: performance.now() + metadataMs });
    return metadata;
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const answer = parseLenient(text);
    if (isRecord(answer)) return answer;
  } catch {
    // The archiver cuts off an answer in which something fails.
  }
  throw new SourceUnavailable('the archiver sent something other than a complete answer');
}

function toMetadata({ EGU: units, PREC: precision }: Readonly<Record<string, unknown>>): Metadata {
  const decimals = Number(precision ?? Number.NaN);
  return {
    units: typeof units === 'string' && units.trim() !== '' ? units.trim() : undefined,
    precision: decimals >= 0 && decimals <= 15 ? Math.trunc(decimals) : undefined,
  };
}

function toReadings(answer: Readonly<Record<string, unknown>>): Readable {
  return new Map(Object.entries(answer).map(([name, sample]) => [name, toSample(sample)]));
}

function toSample(sample: unknown): Sample | Missing {
  if (!isRecord(sample)) return { missing: 'the archiver sent something other than a value' };
  const value = toValue(sample.val);
  const atMs = toInstant(sample.secs, sample.nanos);
  if (value === undefined) return { missing: 'the archiver sent a value of an unknown kind' };
  if (atMs === undefined) return { missing: 'its time in the archiver is wrong' };
  return { ...unknown, value, severity: severities[toNumber(sample.severity) ?? -1] ?? 'UNDEFINED', atMs };
}

function toValue(value: unknown): Sample['value'] | undefined {
  if (!Array.isArray(value)) return toNumber(value) ?? (typeof value === 'string' ? value : undefined);
  const numbers = value.map(toNumber);
  return numbers.every((one) => one !== undefined) ? numbers : undefined;
}
