import { statSync } from 'node:fs';
import { Fault } from '../../../kernel/fault.js';
import { readDiskSpace } from '../database/disk-space.js';
import { entryBytes } from '../search/index/collected-entries.js';
import { EntryVectorWriter } from '../search/index/entry-vectors.js';
import { openIndexForWriting, readState, truncateLongLog } from '../search/index/index-database.js';
import { Indexer } from '../search/index/indexer.js';
import { WordLearning } from '../search/index/word-learning.js';
import { newestSequence } from '../tables/entry-writes.js';
import { BlockReaders } from './block-readers.js';
import type { IndexTask, TaskResult } from './messages.js';
import { checkStop, OpenIndex, runTask, settings } from './worker-thread.js';

const openIndex = new OpenIndex(openIndexForWriting, (index, documents) => {
  const vectors = new EntryVectorWriter(index);
  return {
    indexer: new Indexer(index, documents, vectors),
    learning: new WordLearning(index, documents, vectors),
  };
});
/** Minimum number of unindexed writes that other threads help to read. */
const manyWrites = 8_192;
/** Threads that help to read, until the index is up to date. */
let readers: BlockReaders | undefined;

/** With this priority, the thread gets about 3 % of a core that others use. */
const niceness = 15;

export function run(task: IndexTask): Promise<TaskResult> {
  return runTask(niceness, () =>
    task.kind === 'learn' ? learn(task.indexFile, task.restrictedLogbooks) : indexBatch(task),
  );
}

async function learn(indexFile: string, restrictedLogbooks: readonly string[]): Promise<TaskResult> {
  // Throws if the disk is nearly full.
  availableIndexBytes(indexFile);
  return openIndex.use({ indexFile }, ({ instance, index }) => {
    const more = instance.learning.next(restrictedLogbooks, checkStop);
    truncateLongLog(indexFile, index);
    return { kind: 'learned', more };
  });
}

async function indexBatch({ indexFile }: IndexTask): Promise<TaskResult> {
  let more = false;
  try {
    const maxGrowthBytes = availableIndexBytes(indexFile);
    return await openIndex.use({ indexFile }, ({ instance, index, documents }) => {
      const writes = newestSequence(documents) - readState(index).sequence;
      if (settings.blockReaders > 0 && writes >= manyWrites)
        readers ??= new BlockReaders(settings.blockReaders, settings);
      const progress = instance.indexer.indexNext(maxGrowthBytes, checkStop, readers);
      truncateLongLog(indexFile, index);
      more = progress.more;
      return { kind: 'indexed', progress };
    });
  } finally {
    if (!more) {
      readers?.end();
      readers = undefined;
    }
  }
}

/** Disk space reserved for the documents; on a small disk, a quarter of its size. */
const reservedBytes = 268_435_456;
/** Assumed maximum size of the write-ahead log of one batch. */
const maxLogBytes = 536_870_912;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Returns the number of bytes by which the index may grow.
 * @throws Fault full `search.disk-full`
 */
function availableIndexBytes(indexFile: string): number {
  const { freeBytes, totalBytes } = readDiskSpace(indexFile);
  // The write-ahead log of one batch may contain every page of the index.
  const [indexBytes, logBytes] = [sizeOf(indexFile), sizeOf(`${indexFile}-wal`)];
  const logGrowth = Math.min(Math.max(0, indexBytes - logBytes), maxLogBytes);
  const availableBytes = Math.floor(freeBytes - Math.min(reservedBytes, totalBytes / 4) - logGrowth);
  if (availableBytes >= entryBytes) return availableBytes;
  throw new Fault(
    'full',
    'search.disk-full',
    `Only ${Math.floor(freeBytes / 1_048_576)} MB of disk space is free, and it is reserved for entries. Indexing resumes when more space is free.`,
  );
}
