import { statSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { Fault, type FaultKind } from '../../../kernel/fault.js';
import type { Query } from '../../../search/query.js';
import type { SearchFacets, SearchPage } from '../../../search/search-index.port.js';
import type { TimeInterval } from '../../../search/time-buckets.js';
import type { Connection } from '../database/connection.js';
import { freeSpace } from '../database/disk-space.js';
import { openDatabase } from '../database/open-database.js';
import { openIndexForReading, openIndexForWriting } from '../search/index/index-database.js';
import { entryBytes, Indexer, type IndexProgress } from '../search/index/indexer.js';
import { searchCancelled, searchTooSlow } from '../search/index/search-faults.js';
import { EntrySearcher } from '../search/query/entry-search.js';

export interface WorkerSettings {
  /** Shared: 1 as soon as the service stops. */
  readonly stopping: Int32Array;
  /** The database of the documents. */
  readonly file: string;
  readonly indexFile: string;
}

/** What is asked of a search thread. */
export type SearchTask =
  | { readonly kind: 'search'; readonly query: Query; readonly explain: boolean }
  | { readonly kind: 'facets'; readonly query: Query; readonly interval: TimeInterval | undefined }
  | { readonly kind: 'matching'; readonly query: Query; readonly entryIds: readonly number[] };

export type Task =
  | {
      readonly kind: 'search';
      readonly inquiry: SearchTask;
      /** When nobody waits for the answer any more, in milliseconds since the epoch. */
      readonly deadlineMs: number;
      /** Shared: 1 as soon as nobody waits for the answer any more. */
      readonly cancelled: Int32Array;
    }
  | { readonly kind: 'index' }
  | { readonly kind: 'checkpoint' };

/** A fault does not keep its class on the way between threads. */
export type Outcome =
  | { readonly kind: 'page'; readonly page: SearchPage }
  | { readonly kind: 'facets'; readonly facets: SearchFacets }
  | { readonly kind: 'matching'; readonly entryIds: readonly number[] }
  | { readonly kind: 'indexed'; readonly progress: IndexProgress }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'fault';
      readonly fault: { kind: FaultKind; code: string; message: string; cause: string | undefined };
    };

const { file, indexFile, stopping } = workerData as WorkerSettings;
let search: EntrySearcher | undefined;
let indexer: Indexer | undefined;
let checkpointer: Connection | undefined;

/** Of the threads, those that somebody waits for come first; the event loop comes before all of them. */
const niceness: Readonly<Record<Task['kind'], number>> = { checkpoint: 2, search: 5, index: 15 };

/** Runs one task; the thread keeps its connections for the next. */
export async function run(task: Task): Promise<Outcome> {
  try {
    // Elsewhere it would be the priority of the whole process.
    if (process.platform === 'linux' && getPriority() < niceness[task.kind]) setPriority(niceness[task.kind]);
    if (task.kind === 'checkpoint') {
      checkpointer ??= await openDatabase(file, 'checkpointer');
      checkpoint(checkpointer);
      return { kind: 'done' };
    }
    if (task.kind === 'index') {
      const room = roomForIndex();
      indexer ??= new Indexer(await openIndexForWriting(indexFile), await openDatabase(file, 'reader'));
      return { kind: 'indexed', progress: indexer.indexNext(room, checkStop) };
    }
    const checkTime = () => {
      if (Date.now() > task.deadlineMs) throw searchTooSlow();
      if (Atomics.load(task.cancelled, 0) === 1) throw searchCancelled();
    };
    checkTime();
    search ??= new EntrySearcher(await openIndexForReading(indexFile), await openDatabase(file, 'reader'));
    const { inquiry } = task;
    if (inquiry.kind === 'facets') {
      return { kind: 'facets', facets: search.facets(inquiry.query, inquiry.interval, checkTime) };
    }
    if (inquiry.kind === 'matching') {
      return { kind: 'matching', entryIds: search.matching(inquiry.query, inquiry.entryIds, checkTime) };
    }
    return { kind: 'page', page: search.search(inquiry.query, inquiry.explain, checkTime) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, code, message, cause } = error;
    return { kind: 'fault', fault: { kind, code, message, cause: cause === undefined ? undefined : String(cause) } };
  }
}

/** Of a disk, the index leaves a quarter to the documents, or this when it is less. */
const roomBytes = 268_435_456;
/** What the write-ahead log of one batch grows to at most. */
const maxLogBytes = 536_870_912;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * How many bytes the index may grow by.
 * @throws Fault full `search.disk-full`
 */
function roomForIndex(): number {
  const { freeBytes, totalBytes } = freeSpace(indexFile);
  // Of a batch, its write-ahead log may hold every page of the index.
  const [indexBytes, logBytes] = [sizeOf(indexFile), sizeOf(`${indexFile}-wal`)];
  const logGrowth = Math.min(Math.max(0, indexBytes - logBytes), maxLogBytes);
  const room = Math.floor(freeBytes - Math.min(roomBytes, totalBytes / 4) - logGrowth);
  if (room >= entryBytes) return room;
  throw new Fault(
    'full',
    'search.disk-full',
    `The disk has ${Math.floor(freeBytes / 1_048_576)} MB left, which the entries may need: the search index does not grow until there is more.`,
  );
}

/** Nothing is lost: the next start indexes it. */
function checkStop(): void {
  if (Atomics.load(stopping, 0) === 1) throw new Fault('unavailable', 'service.stopping', 'The service is stopping.');
}

/** From so many pages in the write-ahead log on (32 MB), it is made to start anew. */
const longLogPages = 8_192;

/**
 * Holds nobody up. When the log has grown under constant load, it is asked to start anew, which takes a moment without
 * readers; if there is none now, the next time.
 */
function checkpoint(connection: Connection): void {
  const { log } = connection.get<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)') ?? { log: 0 };
  if (log > longLogPages) connection.get('PRAGMA wal_checkpoint(RESTART)');
}
