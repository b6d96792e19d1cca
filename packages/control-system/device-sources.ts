import { LRUCache } from 'lru-cache';
import { BatchedReads } from './batched-reads.js';
import { compareSaved, toProblem } from './compare-snapshot.js';
import type {
  Channel,
  DeviceAlarms,
  DeviceDetails,
  DeviceHistory,
  Problem,
  SnapshotComparison,
  SourceKind,
} from './device-view.js';
import { noDisplay, toCurrent } from './display.js';
import {
  type AlarmLog,
  type Directory,
  type History,
  type HistoryRange,
  isSample,
  type LatestAlarms,
  type LatestSavedValues,
  type LiveValues,
  type Missing,
  type SavedItem,
  type SavedValues,
  SourceUnavailable,
} from './sources.port.js';

/** The sources of a site. Each is undefined when it is not configured. */
export interface ConfiguredSources {
  readonly live: LiveValues | undefined;
  readonly history: History | undefined;
  readonly directory: Directory | undefined;
  readonly alarms: AlarmLog | undefined;
  readonly snapshots: SavedValues | undefined;
}

const kinds = ['live', 'history', 'directory', 'alarms', 'snapshots'] as const satisfies SourceKind[];

/** Times for which an answer is reused for other readers. The answer for a range that has ended rarely changes. */
const currentMs = 1_000;
const growingMs = 5_000;
const endedMs = 300_000;
const slowMs = 60_000;
/** Time after its end until which a range counts as growing, because the archiver stores samples in batches. */
const settledMs = 60_000;
const maxKept = 1_000;
/** Maximum number of samples in the cached histories. */
const maxKeptSamples = 100_000;
const maxNeighbours = 50;
const maxAlarms = 20;
const maxAlarmsInRange = 100;
/** Maximum number of ranges with cached alarms. */
const maxKeptAlarms = 200;
const maxSaved = 10;
/** Maximum number of devices of a snapshot that are compared in one request: the maximum number per read. */
const maxCompared = 200;
/** Maximum number of cached snapshots. `maxKeptSaved` is the maximum number of their devices. */
const maxSnapshots = 8;
const maxKeptSaved = 20_000;

type TimeRange = Omit<HistoryRange, 'points'>;

interface AlarmsRequest {
  readonly name: string;
  readonly range: TimeRange;
}

interface HistoryRequest {
  readonly name: string;
  readonly range: HistoryRange;
}

type Details = Omit<DeviceDetails, 'name' | 'sources' | 'current'>;
type IsReadable = (name: string) => boolean;

/**
 * All sources of a site. Concurrent readers of the same data share one request, which continues if one of them leaves.
 * The caches are bounded.
 */
export class DeviceSources {
  readonly kinds: readonly SourceKind[];
  private readonly live: BatchedReads | undefined;
  private readonly details: LRUCache<string, Details, IsReadable>;
  private readonly alarmRanges: LRUCache<string, DeviceAlarms, AlarmsRequest>;
  private readonly histories: LRUCache<string, DeviceHistory, HistoryRequest>;
  private readonly snapshots: LRUCache<string, readonly SavedItem[] | Missing>;

  constructor(private readonly sources: ConfiguredSources) {
    this.kinds = kinds.filter((kind) => sources[kind]);
    this.live = sources.live && new BatchedReads(sources.live, currentMs);
    this.details = new LRUCache({
      max: maxKept,
      ttl: slowMs,
      fetchMethod: (name, _stale, { context, options }) => this.readDetails(name, context, options),
    });
    this.alarmRanges = new LRUCache({
      max: maxKeptAlarms,
      fetchMethod: (_key, _stale, { context, options }) => this.readAlarms(context, options),
    });
    this.histories = new LRUCache({
      max: maxKept,
      maxSize: maxKeptSamples,
      sizeCalculation: ({ samples }) => samples.length + 1,
      fetchMethod: (_key, _stale, { context, options }) => this.readHistory(context, options),
    });
    this.snapshots = new LRUCache({
      max: maxSnapshots,
      maxSize: maxKeptSaved,
      sizeCalculation: (items) => (isMissing(items) ? 1 : items.length + 1),
      ttl: slowMs,
      fetchMethod: (id, _stale, { options }) => this.readSnapshot(id, options),
    });
  }

  /** @param isReadable whether another device may be listed as a neighbour; must be the same for all readers */
  async device(name: string, isReadable: IsReadable): Promise<DeviceDetails> {
    const [current, details] = await Promise.all([
      this.live?.read(name),
      this.details.forceFetch(name, { context: isReadable }),
    ]);
    const problems = [...details.problems];
    if (current && !isSample(current)) problems.unshift({ source: 'live', ...toProblem(current) });
    const shown = isSample(current) ? toCurrent(current) : null;
    return { name, sources: this.kinds, current: shown, ...details, problems };
  }

  /** Returns the history of a device; undefined when no source of histories is configured. */
  async history(name: string, range: HistoryRange): Promise<DeviceHistory | undefined> {
    if (!this.sources.history) return undefined;
    const { startMs, endMs, points } = range;
    const history = await this.histories.forceFetch(`${startMs} ${endMs} ${points} ${name}`, {
      context: { name, range },
    });
    return history.kind === 'enum' && !history.states ? this.withStates(history) : history;
  }

  /** Returns the alarms of a device; undefined when no source of alarms is configured. */
  async alarms(name: string, range: TimeRange): Promise<DeviceAlarms | undefined> {
    if (!this.sources.alarms) return undefined;
    return this.alarmRanges.forceFetch(`${range.startMs} ${range.endMs} ${name}`, { context: { name, range } });
  }

  private async readAlarms({ name, range }: AlarmsRequest, options: { ttl?: number }): Promise<DeviceAlarms> {
    const head = { name, start: range.startMs, end: range.endMs };
    const { alarms } = this.sources;
    if (!alarms) throw new SourceUnavailable('it is not configured');
    const read = await orMissing(() => alarms.latest(name, { max: maxAlarmsInRange, range }, endless));
    options.ttl = lifeOf(range, isMissing(read));
    if (isMissing(read)) {
      return { ...head, alarms: [], isCut: false, problems: [{ source: 'alarms', ...toProblem(read) }] };
    }
    return { ...head, ...read, problems: [] };
  }

  /**
   * Compares values of a snapshot with the current ones. Undefined when no source of saved values is configured.
   * @param from number of readable devices before the first compared one
   * @param isReadable whether values of the device may be read
   */
  async snapshot(id: string, from: number, isReadable: IsReadable): Promise<SnapshotComparison | undefined> {
    if (!this.sources.snapshots) return undefined;
    const items = await this.snapshots.forceFetch(id);
    if (isMissing(items)) {
      return { id, rows: [], total: 0, excluded: 0, problems: [{ source: 'snapshots', ...toProblem(items) }] };
    }
    const readable = items.filter(({ name }) => isReadable(name));
    const compared = readable.slice(from, from + maxCompared);
    const current = await Promise.all(compared.map(async ({ name }) => this.live?.read(name)));
    const rows = compared.map((item, at) => compareSaved(item, current[at]));
    return { id, rows, total: readable.length, excluded: items.length - readable.length, problems: [] };
  }

  private async readSnapshot(id: string, options: { ttl?: number }): Promise<readonly SavedItem[] | Missing> {
    const { snapshots } = this.sources;
    if (!snapshots) throw new SourceUnavailable('it is not configured');
    const read = await orMissing(() => snapshots.snapshot(id, endless));
    options.ttl = isMissing(read) ? growingMs : slowMs;
    return read;
  }

  /** Adds the names of states, which only live values contain. */
  private async withStates(history: DeviceHistory): Promise<DeviceHistory> {
    const current = await this.live?.read(history.name);
    const states = isSample(current) ? current.display?.states : undefined;
    if (!states) return history;
    const samples = history.samples.map((sample) => {
      const text = sample.value === null ? undefined : states[sample.value];
      return text === undefined ? sample : { ...sample, text };
    });
    return { ...history, states, samples };
  }

  private async readHistory({ name, range }: HistoryRequest, options: { ttl?: number }): Promise<DeviceHistory> {
    const head = { name, start: range.startMs, end: range.endMs };
    const { history } = this.sources;
    if (!history) throw new SourceUnavailable('it is not configured');
    const read = await orMissing(() => history.readRange(name, range, endless));
    options.ttl = lifeOf(range, 'missing' in read || read.problems.some(isPassing));
    if (!('missing' in read)) return { ...head, ...read };
    const problems = [{ source: 'history', ...toProblem(read) } as const];
    return { ...head, ...noCurve, problems };
  }

  private async readDetails(name: string, isReadable: IsReadable, options: { ttl?: number }): Promise<Details> {
    const { directory, alarms, snapshots } = this.sources;
    const problems: Problem[] = [];
    const ask = async <T>(source: SourceKind, read: (() => Promise<T | Missing>) | undefined, none: T): Promise<T> => {
      if (!read) return none;
      const answer = await orMissing(read);
      if (!isMissing(answer)) return answer;
      problems.push({ source, ...toProblem(answer) });
      return none;
    };
    const [channel, neighbours, latest, saved] = await Promise.all([
      ask<Channel | null>('directory', directory && (() => directory.find(name, endless)), null),
      // The request above already reports a failure of this source.
      directory ? orNone(() => directory.neighbours(name, { max: maxNeighbours, isWanted: isReadable }, endless)) : [],
      ask('alarms', alarms && (() => alarms.latest(name, { max: maxAlarms, range: undefined }, endless)), noAlarms),
      ask('snapshots', snapshots && (() => snapshots.latest(name, maxSaved, endless)), noSaved),
    ]);
    options.ttl = problems.some(({ code }) => code === 'unavailable') ? growingMs : slowMs;
    return {
      ...{ channel, neighbours, problems, alarms: latest.alarms, areAlarmsCut: latest.isCut },
      ...{ snapshots: saved.values, areSnapshotsCut: saved.isCut },
    };
  }
}

/** Signal that never aborts. Several readers may wait for a request, so only the time limit of its source ends it. */
const endless = new AbortController().signal;

function lifeOf({ endMs }: TimeRange, isMissing: boolean): number {
  return !isMissing && endMs < Date.now() - settledMs ? endedMs : growingMs;
}

/** Whether another request may not have the problem. */
const isPassing = ({ code }: Problem) => code === 'unavailable' || code === 'unreadable';

const noCurve = { ...noDisplay, kind: 'number', isBinned: false, isCut: false, samples: [], gaps: [] } as const;

const noAlarms: LatestAlarms = { alarms: [], isCut: false };
const noSaved: LatestSavedValues = { values: [], isCut: false };

const orNone = async (read: () => Promise<readonly string[]>): Promise<readonly string[]> => {
  const answer = await orMissing(read);
  return isMissing(answer) ? [] : answer;
};

const isMissing = (answer: unknown): answer is Missing =>
  typeof answer === 'object' && answer !== null && 'missing' in answer;

async function orMissing<T>(read: () => Promise<T>): Promise<T | Missing> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return { missing: error.message, code: 'unavailable' };
  }
}
