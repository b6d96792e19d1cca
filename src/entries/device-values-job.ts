import {
  type History,
  isSample,
  type LiveValues,
  type Readings,
  SourcePaused,
  SourceUnavailable,
} from '../../packages/control-system/sources.port.js';
import type { Job } from '../kernel/background-job.js';
import type { Clock } from '../kernel/clock.js';
import { nextRound } from '../kernel/time-slice.js';
import { type FeedItem, isIntact, type RecordedChange } from './change-feed.port.js';
import { type DeviceValues, devicesWithoutValue, lacksDeviceValues, withDeviceValues } from './device-values.js';
import type { ValuesStage } from './device-values-store.port.js';
import type { Entry } from './entry.js';
import type { EntryStorage } from './entry-storage.js';
import { ReadAttempts } from './read-attempts.js';
import { unlessDamaged } from './unless-damaged.js';

export interface DeviceValuesDeps {
  readonly storage: EntryStorage;
  readonly clock: Clock;
}

/** Maximum number of changes that are processed in one transaction. */
const batchChanges = 50;
/** Maximum number of different devices whose values are read together. */
const maxNames = 500;
/** Maximum age of an entry to which live values are added. Later, the devices may have other values. */
const liveAgeMs = 2_000;
/** Time until the archiver has the samples of a moment. Live values may arrive in the meantime. */
const settleMs = 5_000;
/** Age of a change after which values that the archiver cannot provide are given up. */
const giveUpMs = 7 * 86_400_000;

const notInTime = 'it could not be read in time';
const noArchiver = 'values of the past need an archiver, and none is configured';

/** An entry whose values are missing, with the devices to read. */
interface Lacking {
  readonly change: RecordedChange;
  readonly devices: readonly string[];
  readonly createdMs: number;
}

/**
 * Returns the job that adds the live values of the named devices to entries that were just created, and states which
 * values are missing. `historyValuesJob` replaces these later. It also adds all values of entries without live values;
 * without an archiver, this job states that they are missing.
 */
export function liveValuesJob(deps: DeviceValuesDeps, live: LiveValues, hasHistory: boolean): Job {
  const isNew = ({ createdMs }: Lacking) => Math.abs(deps.clock.nowMs() - createdMs) <= liveAgeMs;
  return job('live', deps, async (changes, signal) => {
    const lacking = await findLacking(deps, { stage: 'live', changes }, signal);
    const recent = new Set(lacking.filter(isNew));
    const names = [...new Set([...recent].flatMap(({ devices }) => devices))].slice(0, maxNames);
    const startMs = deps.clock.nowMs();
    const read: Readings =
      names.length === 0 ? new Map() : await live.read(names, signal).catch(asMissing(names, signal));
    const atMs = momentOf(read, startMs, deps.clock.nowMs());
    const values = new Map<Lacking, DeviceValues>();
    for (const entry of lacking) {
      const readings = recent.has(entry)
        ? pick(read, entry.devices, notInTime)
        : pick(new Map(), entry.devices, noArchiver);
      const isAnyRead = [...readings.values()].some(isSample);
      if (isAnyRead || !hasHistory) values.set(entry, { readings, source: 'live', atMs });
    }
    return { upTo: changes.at(-1)?.sequence, values };
  });
}

/**
 * Returns the job that adds archived values of the named devices to entries without values. It waits while the archiver
 * is unreachable, and retries failed entries. If the archiver answers for other devices, the devices that cause a
 * failure are given up.
 */
export function historyValuesJob(deps: DeviceValuesDeps, history: History): Job {
  const tried = new ReadAttempts();
  return job('history', deps, async (changes, signal) => {
    const nowMs = deps.clock.nowMs();
    // A change with a future time was recorded by a clock that was ahead. Later changes must not wait until that time.
    const ageOf = ({ atMs }: RecordedChange) => Math.abs(nowMs - atMs);
    const recent = changes.findIndex((change) => isIntact(change) && ageOf(change) < settleMs);
    const settled = recent < 0 ? changes : changes.slice(0, recent);
    const values = new Map<Lacking, DeviceValues>();
    let failure: unknown;
    const lacking = await findLacking(deps, { stage: 'history', changes: settled }, signal);
    for (const entry of tried.inOrder(lacking, ({ change }) => change.entryId)) {
      const { devices, createdMs: atMs, change } = entry;
      const { entryId } = change;
      let names: readonly string[] = [];
      let readings: Readings | undefined;
      try {
        while (!readings) {
          names = tried.next(entryId, devices);
          const read = await history.readAt(names, atMs, signal);
          readings = tried.noteRead(entryId, devices, names, read);
        }
      } catch (error) {
        const missing = asMissing(devices, signal)(error);
        const isGivenUp = ageOf(change) >= giveUpMs;
        if (!isGivenUp) failure = error;
        // A pause is not a failure of this entry, so it is not counted as one.
        if (!isGivenUp && error instanceof SourcePaused) break;
        readings = tried.noteFailure(entryId, devices, names, missing);
        if (isGivenUp) readings = new Map([...missing, ...tried.take(entryId)]);
      }
      if (readings) values.set(entry, { readings, source: 'archiver', atMs });
    }
    const waiting = lacking.find((entry) => !values.has(entry))?.change.sequence ?? Number.POSITIVE_INFINITY;
    return { upTo: settled.findLast(({ sequence }) => sequence < waiting)?.sequence, values, failure };
  });
}

interface Processed {
  /** Position of the last change that was processed; undefined: none was. */
  readonly upTo: number | undefined;
  readonly values: ReadonlyMap<Lacking, DeviceValues>;
  /** Error that requires processing the changes after `upTo` again. */
  readonly failure?: unknown;
}

/** Returns a job that stores values and its position in one transaction, so that a crash adds no values twice. */
function job(
  stage: ValuesStage,
  { storage }: DeviceValuesDeps,
  process: (changes: readonly FeedItem[], signal: AbortSignal) => Promise<Processed>,
): Job {
  return {
    name: `device-values-${stage}`,
    isShared: true,
    intervalMs: settleMs,
    retryMs: settleMs,
    failure: 'values of devices could not be read; will retry',
    async run(signal) {
      const { deviceValues, feed } = storage.committed;
      const from = await deviceValues.findPosition(stage);
      if (from === undefined) {
        await store(storage, { stage, from, to: await feed.newest() });
        return 'more';
      }
      const changes = await feed.listAfter(from, batchChanges);
      const { upTo, values, failure } = await process(changes, signal);
      const isIdle = upTo === undefined && values.size === 0;
      if (!isIdle) await store(storage, { stage, from, to: upTo ?? from, values });
      if (failure !== undefined) throw failure;
      return isIdle ? 'idle' : 'more';
    },
  };
}

interface Step {
  readonly stage: ValuesStage;
  readonly from: number | undefined;
  readonly to: number;
  readonly values?: Processed['values'];
}

function store(storage: EntryStorage, { stage, from, to, values = new Map() }: Step): Promise<void> {
  return storage.write(async (tx) => {
    if (!(await tx.deviceValues.advance(stage, from, to))) throw new Error('another node has processed these changes');
    for (const [{ change, devices }, found] of values) {
      const { entryId, notify } = change;
      const stored = await tx.entries.find(entryId);
      // The other job or an edit may have added values in the meantime, and a redaction may have removed names.
      const lacking = new Set(stored && lackingDevices(stage, stored.entry));
      const named = devices.filter((name) => lacking.has(name));
      if (!stored || named.length === 0) continue;
      const properties = withDeviceValues(stored.entry.properties, named, found);
      const { revision } = await tx.entries.annotate({ ...stored.entry, properties }, stored);
      await tx.feed.append({ kind: 'annotated', entryId, revision, notify, atMs: found.atMs });
      await nextRound();
    }
  });
}

/** Returns the devices whose values a job adds: the live job only adds values to an entry that has none. */
function lackingDevices(stage: ValuesStage, entry: Entry): readonly string[] {
  return stage === 'live' && !lacksDeviceValues(entry) ? [] : devicesWithoutValue(entry);
}

async function findLacking(
  { storage }: DeviceValuesDeps,
  { stage, changes }: { readonly stage: ValuesStage; readonly changes: readonly FeedItem[] },
  signal: AbortSignal,
): Promise<Lacking[]> {
  const lacking: Lacking[] = [];
  for (const change of changes) {
    if (!isIntact(change) || change.kind !== 'created') continue;
    const stored = await unlessDamaged(() => storage.committed.entries.find(change.entryId));
    signal.throwIfAborted();
    // The devices of a damaged entry are not known.
    if (!stored || stored === 'damaged') continue;
    const devices = lackingDevices(stage, stored.entry);
    if (devices.length > 0) lacking.push({ change, devices, createdMs: stored.entry.createdDate });
  }
  return lacking;
}

/** Returns a moment at which the devices had all these values: connecting and waiting may have taken a while. */
function momentOf(read: Readings, startMs: number, endMs: number): number {
  const newestMs = Math.max(startMs, ...[...read.values()].filter(isSample).map(({ atMs }) => atMs));
  return Math.min(newestMs, endMs);
}

function pick(read: Readings, names: readonly string[], missing: string): Readings {
  return new Map(names.map((name) => [name, read.get(name) ?? { missing }]));
}

/** Returns a handler that turns an error into readings that state its reason in place of each value. */
function asMissing(names: readonly string[], signal: AbortSignal): (error: unknown) => Readings {
  return (error) => {
    if (signal.aborted || !(error instanceof SourceUnavailable)) throw error;
    return new Map(names.map((name) => [name, { missing: error.message }]));
  };
}
