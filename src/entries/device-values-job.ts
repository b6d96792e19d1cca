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
import type { FeedItem, RecordedChange } from './change-feed.port.js';
import type { DeviceNames } from './device-names.js';
import { type DeviceValues, withDeviceValues } from './device-values.js';
import type { ValuesStage } from './device-values-store.port.js';
import type { Entry, PropertyInstance } from './entry.js';
import type { EntryStorage } from './entry-storage.js';
import { withEventValues } from './event-values.js';
import {
  findLacking,
  isCreation,
  isEdit,
  keyOf,
  type Lacking,
  mayNameDevices,
  pastUntil,
  stillLacking,
} from './lacking-values.js';
import { ListedDevices } from './listed-devices.js';
import { ReadAttempts } from './read-attempts.js';

export interface DeviceValuesDeps {
  readonly storage: EntryStorage;
  readonly clock: Clock;
  readonly deviceNames: Pick<DeviceNames, 'isExcluded'>;
}

/** Maximum number of changes that are processed in one transaction. */
const batchChanges = 50;
/** Maximum number of batches that are skipped in one transaction, because their changes need no values. */
const maxSkipped = 20;
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

/**
 * Returns the job that adds the live values of the named devices to entries that were just created, and states which
 * values are missing. `historyValuesJob` adds the missing ones later, and all values of entries without live values. If
 * there is no archiver, this job states that all those values are missing, except in imported entries.
 */
export function liveValuesJob(deps: DeviceValuesDeps, live: LiveValues, hasHistory: boolean): Job {
  const isNow = (ms: number) => Math.abs(deps.clock.nowMs() - ms) <= liveAgeMs;
  const isNew = ({ momentMs }: Lacking) => isNow(momentMs);
  // New entries must not wait for those of a large import.
  const isRelevant = (item: FeedItem) => isCreation(item) && (!hasHistory || isNow(item.atMs));
  return job('live', { ...deps, isRelevant }, async (changes, signal) => {
    const nowMs = deps.clock.nowMs();
    const wanted = { stage: 'live', changes: changes.filter(isRelevant), nowMs, listed: listedNow(deps) } as const;
    const found = await findLacking(deps.storage.committed, wanted, signal);
    const lacking = found.filter(({ change, momentMs }) => Math.abs(change.atMs - momentMs) <= liveAgeMs);
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
 * Returns the job that adds archived values of the named devices to entries: the missing values at their creation, and
 * those at their past events. If an edit adds names, the job adds the values that these devices had at the creation. It
 * waits while the archiver is unreachable, and retries failed entries. If the archiver answers for other devices, the
 * devices that cause a failure are given up.
 */
export function historyValuesJob(deps: DeviceValuesDeps, history: History): Job {
  const tried = new ReadAttempts();
  return job('history', { ...deps, isRelevant: mayNameDevices }, async (changes, signal) => {
    const nowMs = deps.clock.nowMs();
    // A change with a future time was recorded by a clock that was ahead. Later changes must not wait until that time.
    const ageOf = ({ atMs }: RecordedChange) => Math.abs(nowMs - atMs);
    const recent = changes.findIndex((change) => isCreation(change) && ageOf(change) < settleMs);
    const settled = recent < 0 ? changes : changes.slice(0, recent);
    const values = new Map<Lacking, DeviceValues>();
    let failure: unknown;
    const wanted = { stage: 'history', changes: settled, nowMs, listed: listedNow(deps) } as const;
    const lacking = await findLacking(deps.storage.committed, wanted, signal);
    for (const entry of tried.inOrder(lacking, keyOf)) {
      if (followsCreation(entry, lacking)) continue;
      const { devices, momentMs: atMs, change } = entry;
      const key = keyOf(entry);
      let names: readonly string[] = [];
      let readings: Readings | undefined;
      try {
        while (!readings) {
          names = tried.next(key, devices);
          const read = await history.readAt(names, atMs, signal);
          readings = tried.noteRead(key, devices, names, read);
        }
      } catch (error) {
        const missing = asMissing(devices, signal)(error);
        const isGivenUp = ageOf(change) >= giveUpMs;
        if (!isGivenUp) failure = error;
        // A pause is not a failure of this entry, so it is not counted as one.
        if (!isGivenUp && error instanceof SourcePaused) break;
        readings = tried.noteFailure(key, devices, names, missing);
        if (isGivenUp) readings = new Map([...missing, ...tried.take(key)]);
      }
      if (readings) values.set(entry, { readings, source: 'archiver', atMs });
    }
    const waiting = lacking.find((entry) => !values.has(entry))?.change.sequence ?? Number.POSITIVE_INFINITY;
    return { upTo: settled.findLast(({ sequence }) => sequence < waiting)?.sequence, values, failure };
  });
}

function listedNow({ storage, deviceNames }: DeviceValuesDeps): ListedDevices {
  return new ListedDevices(storage.committed.catalog, deviceNames);
}

/** Whether an edit must wait, because it may have been made before the values of the new entry were added. */
function followsCreation({ change }: Lacking, lacking: readonly Lacking[]): boolean {
  return isEdit(change) && lacking.some((one) => !isEdit(one.change) && one.change.entryId === change.entryId);
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
  { isRelevant, ...deps }: DeviceValuesDeps & { readonly isRelevant: (item: FeedItem) => boolean },
  process: (changes: readonly FeedItem[], signal: AbortSignal) => Promise<Processed>,
): Job {
  return {
    name: `device-values-${stage}`,
    isShared: true,
    intervalMs: settleMs,
    retryMs: settleMs,
    failure: 'values of devices could not be read; will retry',
    async run(signal) {
      const { deviceValues, feed } = deps.storage.committed;
      const from = await deviceValues.findPosition(stage);
      if (from === undefined) {
        await store(deps, { stage, from, to: await feed.newest() });
        return 'more';
      }
      const changes: FeedItem[] = [];
      for (let batch: FeedItem[] = [], skipped = 0; skipped <= maxSkipped && !batch.some(isRelevant); skipped++) {
        batch = await feed.listAfter(changes.at(-1)?.sequence ?? from, batchChanges);
        changes.push(...batch);
        if (batch.length < batchChanges) break;
      }
      signal.throwIfAborted();
      const { upTo, values, failure } = await process(changes, signal);
      const isIdle = upTo === undefined && values.size === 0;
      if (!isIdle) await store(deps, { stage, from, to: upTo ?? from, values });
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

function store(
  { storage, clock, deviceNames }: DeviceValuesDeps,
  { stage, from, to, values = new Map() }: Step,
): Promise<void> {
  return storage.write(async (tx) => {
    const listed = new ListedDevices(tx.catalog, deviceNames);
    if (!(await tx.deviceValues.advance(stage, from, to))) throw new Error('another node has processed these changes');
    for (const [entryId, moments] of byEntry([...values])) {
      const stored = await tx.entries.find(entryId);
      if (!stored) continue;
      let { entry } = stored;
      const { devices } = await listed.addTo(entry);
      for (const [moment, found] of moments) {
        const target = { stage, entry: { ...entry, devices }, moment, nowMs: clock.nowMs() };
        entry = { ...entry, properties: propertiesWith(found, target) };
      }
      if (entry.properties === stored.entry.properties) continue;
      const { revision } = await tx.entries.annotate(entry, stored);
      const notify = moments.some(([{ change }]) => change.notify);
      await tx.feed.append({ kind: 'annotated', entryId, revision, notify, atMs: clock.nowMs() });
      await nextRound();
    }
  });
}

type Found = readonly [Lacking, DeviceValues];

function byEntry(values: readonly Found[]): Map<number, Found[]> {
  const entries = new Map<number, Found[]>();
  for (const found of values) {
    const { entryId } = found[0].change;
    const moments = entries.get(entryId);
    if (moments) moments.push(found);
    else entries.set(entryId, [found]);
  }
  return entries;
}

interface Target {
  readonly stage: ValuesStage;
  /** The entry with the devices that its logbooks list. */
  readonly entry: Entry;
  readonly moment: Lacking;
  readonly nowMs: number;
}

/**
 * Returns the properties with the values of a moment. The other job or an edit may have added values in the meantime,
 * and a redaction may have removed names.
 */
function propertiesWith(values: DeviceValues, { stage, entry, moment, nowMs }: Target): readonly PropertyInstance[] {
  const { event, change } = moment;
  const named = stillLacking(stage, moment, entry, nowMs);
  if (named.length === 0) return entry.properties;
  if (!event) return withDeviceValues(entry.properties, named, values);
  return withEventValues(entry, event, named, { values, untilMs: pastUntil(change, nowMs) });
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
