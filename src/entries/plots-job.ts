import type { History } from '../../packages/control-system/sources.port.js';
import type { Job } from '../kernel/background-job.js';
import { addPlot, type PlotsDeps } from './add-plot.js';
import { type FeedItem, isIntact } from './change-feed.port.js';
import type { EntryStorage } from './entry-storage.js';
import { plotsToStore } from './stored-plots.js';
import { unlessDamaged } from './unless-damaged.js';

const stage = 'plots';
/** Maximum number of changes that are examined in one run, and of entries whose plots are read in it. */
const batchChanges = 50;
const batchEntries = 10;
/**
 * Maximum number of entries that wait for the end of a range or for the archiver. Beyond it, no changes are examined.
 */
const maxWaiting = 10_000;
/** Time from the end of a range until the archiver has all its samples. */
const settledMs = 60_000;
/** Time between two attempts to read the same plot. */
const retryMs = 60_000;
const intervalMs = 5_000;

/** An entry with plots that have no samples yet. */
export interface WaitingEntry {
  /** Position in the feed at which it is found again after a restart. */
  readonly sequence: number;
  readonly notify: boolean;
  /** Time of the last change, in milliseconds since the epoch. */
  readonly changedMs: number;
  /** Time at which the first of the ranges has all its samples, in milliseconds since the epoch. */
  dueMs: number;
  /** Time of the last attempt, if it failed. */
  failedMs?: number;
}

/** Waiting entries, in memory. The stored position is before the first of them, so that a restart finds them again. */
interface Progress {
  position: number;
  /** Position up to which changes were examined. */
  examined: number;
  readonly waiting: Map<number, WaitingEntry>;
}

/**
 * Returns the job that adds the samples of plots to their entries, each as a file. A plot waits until its range has
 * ended and the archiver is reachable.
 */
export function plotsJob(deps: PlotsDeps, history: History): Job {
  const { storage } = deps;
  let progress: Progress | undefined;
  return {
    name: 'plots',
    isShared: true,
    intervalMs,
    retryMs,
    failure: 'samples of plots could not be read; will retry',
    async run(signal) {
      const { deviceValues, feed } = storage.committed;
      const position = await deviceValues.findPosition(stage);
      if (position === undefined) {
        await advance(storage, undefined, await feed.newest());
        return 'more';
      }
      // Another node has worked in the meantime.
      if (progress?.position !== position) progress = { position, examined: position, waiting: new Map() };
      const hasMore = await examine(deps, progress, signal);
      const outcome = await addDue(deps, history, progress.waiting, signal);
      const next = positionOf(progress);
      if (next !== position) await advance(storage, position, next);
      progress.position = next;
      if (outcome.failure !== undefined) throw outcome.failure;
      return hasMore || outcome.hasMore ? 'more' : 'idle';
    },
  };
}

function advance(storage: EntryStorage, from: number | undefined, to: number): Promise<void> {
  return storage.write(async (tx) => {
    if (!(await tx.deviceValues.advance(stage, from, to))) throw new Error('another node has processed these changes');
  });
}

function positionOf({ examined, waiting }: Progress): number {
  let position = examined;
  for (const { sequence } of waiting.values()) position = Math.min(position, sequence - 1);
  return position;
}

/** Finds entries with plots in the next changes; returns whether there may be more changes. */
async function examine({ storage }: PlotsDeps, progress: Progress, signal: AbortSignal): Promise<boolean> {
  const { waiting } = progress;
  if (waiting.size >= maxWaiting) return false;
  const changes = await storage.committed.feed.listAfter(progress.examined, batchChanges);
  for (const change of changes) {
    await examineChange(storage, change, waiting);
    signal.throwIfAborted();
    progress.examined = change.sequence;
  }
  return changes.length === batchChanges;
}

async function examineChange(storage: EntryStorage, change: FeedItem, waiting: Progress['waiting']): Promise<void> {
  // Includes annotations, because a block of a run may contain plots.
  if (!isIntact(change)) return;
  const { entryId, notify, atMs: changedMs } = change;
  const stored = await unlessDamaged(() => storage.committed.entries.find(entryId));
  if (!stored || stored === 'damaged') return;
  const plots = plotsToStore(stored.entry);
  const sequence = waiting.get(entryId)?.sequence ?? change.sequence;
  if (plots.length === 0) waiting.delete(entryId);
  else waiting.set(entryId, { sequence, notify, changedMs, dueMs: dueOf(plots) });
}

const dueOf = (plots: readonly { readonly endMs: number }[]): number =>
  Math.min(...plots.map(({ endMs }) => endMs)) + settledMs;

interface Outcome {
  readonly hasMore: boolean;
  /** Last error of reading samples; undefined: none. */
  readonly failure: unknown;
}

/** Adds the samples of the plots that are due. A failure does not affect other entries. */
async function addDue(
  deps: PlotsDeps,
  history: History,
  waiting: Progress['waiting'],
  signal: AbortSignal,
): Promise<Outcome> {
  const nowMs = deps.clock.nowMs();
  // If the clock was set back, the last attempt is in the future. The next one must not wait until then.
  const isPaused = ({ failedMs }: WaitingEntry) => failedMs !== undefined && Math.abs(nowMs - failedMs) < retryMs;
  const due = [...waiting].filter(([, entry]) => entry.dueMs <= nowMs && !isPaused(entry));
  let failure: unknown;
  for (const [entryId, entry] of due.slice(0, batchEntries)) {
    try {
      const left = await addPlotsOf(deps, history, { entryId, ...entry }, signal);
      if (left.length === 0) waiting.delete(entryId);
      else entry.dueMs = Math.max(dueOf(left), nowMs + 1);
    } catch (error) {
      signal.throwIfAborted();
      entry.failedMs = nowMs;
      failure = error;
    }
  }
  return { hasMore: due.length > batchEntries, failure };
}

/** Adds the samples of plots whose range has ended; returns the other plots. */
async function addPlotsOf(
  deps: PlotsDeps,
  history: History,
  { entryId, notify, changedMs }: WaitingEntry & { readonly entryId: number },
  signal: AbortSignal,
) {
  const stored = await unlessDamaged(() => deps.storage.committed.entries.find(entryId));
  if (!stored || stored === 'damaged') return [];
  const plots = plotsToStore(stored.entry);
  const hasEnded = ({ endMs }: { readonly endMs: number }) => endMs + settledMs <= deps.clock.nowMs();
  for (const plot of plots.filter(hasEnded)) await addPlot(deps, history, { entryId, notify, changedMs, plot }, signal);
  return plots.filter((plot) => !hasEnded(plot));
}
