import { statSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Fault } from '../../../kernel/fault.js';
import { searchCancelled, searchTooSlow } from '../../search-faults.js';
import type { Connection } from '../database/connection.js';
import { readDiskSpace } from '../database/disk-space.js';
import { openDatabase } from '../database/open-database.js';
import { openIndexForReading, openIndexForWriting, truncateLongLog } from '../search/index/index-database.js';
import { entryBytes, Indexer } from '../search/index/indexer.js';
import { EntrySearcher } from '../search/query/entry-search.js';
import { warmUp } from '../search/query/warm-up.js';
import {
  type LimitedSearch,
  monotonicMs,
  type TaskResult,
  type WorkerSettings,
  type WorkerTask,
  warmedUp,
} from './messages.js';
import { transferResult } from './transfer-result.js';

const { file, stopping, warmUpIndexFile } = workerData as WorkerSettings;
let searcher: OnIndex<EntrySearcher> | undefined;
let indexer: OnIndex<Indexer> | undefined;
let checkpointer: Connection | undefined;

/** What works with an index, with its connections. */
interface OnIndex<T> {
  readonly indexFile: string;
  readonly generation: number;
  readonly user: T;
  readonly index: Connection;
  readonly documents: Connection;
}

/** Tasks that a caller waits for have precedence over the others; the event loop has precedence over all tasks. */
const niceness: Readonly<Record<WorkerTask['kind'], number>> = { checkpoint: 2, search: 5, index: 15 };

if (warmUpIndexFile !== undefined) {
  try {
    searcher = await onIndex(searcher, { indexFile: warmUpIndexFile }, openIndexForReading, EntrySearcher);
    warmUp(searcher.user, searcher.documents, checkStop);
  } catch {
    // The first search that fails in the same way says why.
    closeAll();
  }
  parentPort?.postMessage(warmedUp);
}

/** Runs one task. The worker keeps its connections open for the next. */
export async function run(task: WorkerTask): Promise<TaskResult> {
  try {
    // Linux only: elsewhere this would set the priority of the whole process.
    if (process.platform === 'linux' && getPriority() < niceness[task.kind]) setPriority(niceness[task.kind]);
    if (task.kind === 'checkpoint') {
      checkpointer ??= await openDatabase(file, 'checkpointer');
      checkpoint(checkpointer);
      return { kind: 'done' };
    }
    if (task.kind === 'index') {
      const maxGrowthBytes = availableIndexBytes(task.indexFile);
      indexer = await onIndex(indexer, { indexFile: task.indexFile }, openIndexForWriting, Indexer);
      const progress = indexer.user.indexNext(maxGrowthBytes, checkStop);
      truncateLongLog(task.indexFile, indexer.index);
      return { kind: 'indexed', progress };
    }
    return transferResult(await search(task));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, code, message, cause } = error;
    // The file may be replaced by another of the same name.
    if (code === 'search.damaged') closeAll();
    return { kind: 'fault', fault: { kind, code, message, cause: cause === undefined ? undefined : String(cause) } };
  }
}

/** Returns what works with this index: `open` if it does, otherwise it is closed and another is opened. */
async function onIndex<T>(
  open: OnIndex<T> | undefined,
  { indexFile, generation = 0 }: { indexFile: string; generation?: number },
  openIndex: (file: string) => Promise<Connection>,
  User: new (index: Connection, documents: Connection) => T,
): Promise<OnIndex<T>> {
  if (open?.indexFile === indexFile && open.generation === generation) return open;
  close(open);
  const connections = [await openDatabase(file, 'reader')];
  try {
    const [documents] = connections as [Connection];
    const index = await openIndex(indexFile);
    connections.push(index);
    return { indexFile, generation, user: new User(index, documents), index, documents };
  } catch (error) {
    for (const connection of connections) connection.close();
    throw error;
  }
}

function close(open: OnIndex<unknown> | undefined): void {
  open?.index.close();
  open?.documents.close();
}

function closeAll(): void {
  close(searcher);
  close(indexer);
  searcher = undefined;
  indexer = undefined;
}

async function search({ indexFile, generation, task, deadlineMs, cancelled }: LimitedSearch): Promise<TaskResult> {
  const checkTime = () => {
    checkStop();
    if (monotonicMs() > deadlineMs) throw searchTooSlow();
    if (Atomics.load(cancelled, 0) === 1) throw searchCancelled();
  };
  checkTime();
  searcher = await onIndex(searcher, { indexFile, generation }, openIndexForReading, EntrySearcher);
  const { user } = searcher;
  if (task.kind === 'facets') {
    return { kind: 'facets', facets: user.facets(task.query, task.options, checkTime) };
  }
  if (task.kind === 'matching') {
    return { kind: 'matching', entryIds: user.matching(task.query, task.entryIds, checkTime) };
  }
  if (task.kind === 'suggest') {
    return { kind: 'suggested', values: user.suggest(task.request, checkTime) };
  }
  if (task.kind === 'show') {
    return { kind: 'shown', entries: user.show(task.page, task.versions, checkTime) };
  }
  return { kind: 'page', page: user.search(task.query, task.options, checkTime) };
}

/** Disk space that the index leaves for the documents: this much, or a quarter of the disk when that is less. */
const reservedBytes = 268_435_456;
/** The most that the write-ahead log of one batch grows to. */
const maxLogBytes = 536_870_912;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Returns how many bytes the index may grow by.
 * @throws Fault full `search.disk-full`
 */
function availableIndexBytes(indexFile: string): number {
  const { freeBytes, totalBytes } = readDiskSpace(indexFile);
  // The write-ahead log of one batch may hold every page of the index.
  const [indexBytes, logBytes] = [sizeOf(indexFile), sizeOf(`${indexFile}-wal`)];
  const logGrowth = Math.min(Math.max(0, indexBytes - logBytes), maxLogBytes);
  const availableBytes = Math.floor(freeBytes - Math.min(reservedBytes, totalBytes / 4) - logGrowth);
  if (availableBytes >= entryBytes) return availableBytes;
  throw new Fault(
    'full',
    'search.disk-full',
    `Only ${Math.floor(freeBytes / 1_048_576)} MB of disk space are free, which are reserved for entries. Indexing resumes when more space is free.`,
  );
}

/** Ends a search or a batch when the service stops. Nothing is lost: the next run of the program indexes the rest. */
function checkStop(): void {
  if (Atomics.load(stopping, 0) === 1) throw new Fault('unavailable', 'service.stopping', 'The service is stopping.');
}

/** From this many pages (32 MB) on, the write-ahead log is restarted from its beginning. */
const longLogPages = 8_192;

/**
 * Runs a checkpoint that blocks nothing. Under constant load the log grows; it can then be restarted only at a moment
 * without readers, and when there is none, the next checkpoint tries again.
 */
function checkpoint(connection: Connection): void {
  const { log } = connection.get<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)') ?? { log: 0 };
  if (log > longLogPages) connection.get('PRAGMA wal_checkpoint(RESTART)');
}
