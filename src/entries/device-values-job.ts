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
import { type DeviceValues, lacksDeviceValues, toProperty } from './device-values.js';
import type { ValuesStage } from './device-values-store.port.js';
import type { EntryStorage } from './entry-storage.js';
import { ReadAttempts } from './read-attempts.js';
import { unlessDamaged } from './unless-damaged.js';

export interface DeviceValuesDeps {
  readonly storage: EntryStorage;
  readonly clock: Clock;
}

/** Changes that are processed in one transaction. */
const batchChanges = 50;
/** Maximum number of different devices whose values are read together. */
const maxNames = 500;
/** Entries that are older have other values than the devices have now. */
const liveAgeMs = 2_000;
/** The archiver has the samples of a moment this long after it; until then, the live values may arrive. */
const settleMs = 5_000;
/** The archiver may be unreachable for this long before the values of an entry are given up. */
const giveUpMs = 7 * 86_400_000;

/** An entry whose values are missing. */
interface Lacking {
  readonly change: RecordedChange;
  readonly devices: readonly string[];
  readonly createdMs: number;
}

/**
 * Returns the job that adds the values of their devices to entries that were created a moment ago. What it leaves out,
 * `historyValuesJob` adds later; without an archiver, it states what is missing.
 */
export function liveValuesJob(deps: DeviceValuesDeps, live: LiveValues, hasHistory: boolean): Job {
  const isNew = ({ createdMs }: Lacking) => Math.abs(deps.clock.nowMs() - createdMs) <= liveAgeMs;
  return job('live', deps, async (changes, signal) => {
    const lacking = await findLacking(deps, changes, signal);
    const names = [...new Set(lacking.filter(isNew).flatMap(({ devices }) => devices))].slice(0, maxNames);
    const startMs = deps.clock.nowMs();
    const read: Readings =
      names.length === 0 ? new Map() : await live.read(names, signal).catch(asMissing(names, signal));
    const atMs = momentOf(read, startMs, deps.clock.nowMs());
    const values = new Map<Lacking, DeviceValues>();
    for (const entry of lacking) {
      const readings = pick(read, entry.devices, 'it could not be read in time');
      const isWhole = entry.devices.every((name) => !('missing' in (readings.get(name) ?? { missing: '' })));
      if (isWhole || !hasHistory) values.set(entry, { readings, source: 'live', atMs });
    }
    return { upTo: changes.at(-1)?.sequence, values };
  });
}

/**
 * Returns the job that adds the values of their devices from the archiver to entries that do not have them. While the
 * archiver is unreachable, it waits. An entry for which it fails is tried again. The devices that are the cause are given
 * up when it answers for others.
 */
export function historyValuesJob(deps: DeviceValuesDeps, history: History): Job {
  const tried = new ReadAttempts();
  return job('history', deps, async (changes, signal) => {
    const nowMs = deps.clock.nowMs();
    // A change in the future was recorded by a clock that was ahead; the later ones do not wait for it.
    const ageOf = ({ atMs }: RecordedChange) => Math.abs(nowMs - atMs);
    const recent = changes.findIndex((change) => isIntact(change) && ageOf(change) < settleMs);
    const settled = recent < 0 ? changes : changes.slice(0, recent);
    const values = new Map<Lacking, DeviceValues>();
    let failure: unknown;
    const lacking = await findLacking(deps, settled, signal);
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
        // The next one to be tried is the one that comes now.
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
  /** Position after the changes that were processed; undefined: none was. */
  readonly upTo: number | undefined;
  readonly values: ReadonlyMap<Lacking, DeviceValues>;
  /** Why changes after `upTo` have to be processed again. */
  readonly failure?: unknown;
}

/** Values and position are stored in one transaction: after a crash, each entry has its values once. */
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
      // The other job may have been faster, or an edit may have brought the property.
      if (!stored || !lacksDeviceValues(stored.entry)) continue;
      const properties = [...stored.entry.properties, toProperty(devices, found)];
      const { revision } = await tx.entries.annotate({ ...stored.entry, properties }, stored.entry);
      await tx.feed.append({ kind: 'annotated', entryId, revision, notify, atMs: found.atMs });
      await nextRound();
    }
  });
}

async function findLacking(
  { storage }: DeviceValuesDeps,
  changes: readonly FeedItem[],
  signal: AbortSignal,
): Promise<Lacking[]> {
  const lacking: Lacking[] = [];
  for (const change of changes) {
    if (!isIntact(change) || change.kind !== 'created') continue;
    const stored = await unlessDamaged(() => storage.committed.entries.find(change.entryId));
    signal.throwIfAborted();
    // The devices of a damaged entry are not known.
    if (!stored || stored === 'damaged' || !lacksDeviceValues(stored.entry)) continue;
    const { devices = [], createdDate: createdMs } = stored.entry;
    lacking.push({ change, devices, createdMs });
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

/** Returns a handler after which the reason of a failure stands in place of each value. */
function asMissing(names: readonly string[], signal: AbortSignal): (error: unknown) => Readings {
  return (error) => {
    if (signal.aborted || !(error instanceof SourceUnavailable)) throw error;
    return new Map(names.map((name) => [name, { missing: error.message }]));
  };
}
