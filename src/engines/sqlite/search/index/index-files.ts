import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '../../database/connection.js';
import { newestSequence } from '../../tables/entry-writes.js';
import {
  createIndex,
  foundByEarlierRun,
  type IndexStatus,
  isMarkedCorrupt,
  openIndexForWriting,
  prepareIndex,
  type ReplacedIndex,
  readStatus,
  removeIndex,
  truncateLog,
} from './index-database.js';
import { mayHoldRemoved, newestRedaction } from './removed-content.js';

/**
 * The file of the search index. A damaged index is rebuilt in the other file of the two while searches use the damaged
 * one; then the searches switch to the new file, and the damaged one is removed. After a crash, the start continues
 * with the file that is not marked as damaged, even if it is incomplete.
 */
export class IndexFiles {
  private constructor(
    private readonly dataDir: string,
    private current: { readonly file: string; readonly connection: Connection },
    /** Reason why the start replaced the index with an empty one; undefined if it did not. */
    readonly replacedAtStart: ReplacedIndex | undefined,
  ) {}

  /** Opens the index of these documents at the start of the program; an unusable one is replaced by an empty one. */
  static async open(dataDir: string, documents: Connection): Promise<IndexFiles> {
    const [first, second] = indexFilesIn(dataDir);
    const file = existsSync(second) && !isMarkedCorrupt(second) ? second : first;
    const { connection, replaced } = await prepareIndex(file, documents);
    const other = file === first ? second : first;
    const continued: ReplacedIndex | undefined = isMarkedCorrupt(other)
      ? { kind: 'damaged', file: other, reason: foundByEarlierRun }
      : undefined;
    removeIndex(other);
    // The connection stays open: on a full disk it might not be possible to open it again.
    return new IndexFiles(dataDir, { file, connection }, replaced ?? continued);
  }

  /** Increases when searches move to another file. File names are reused, so a name does not identify an index. */
  generation = 0;

  /** Returns a revision that changes whenever the results of searches may change. */
  revisionWith(documents: Connection): string {
    return `${this.generation} ${newestSequence(documents)} ${newestRedaction(documents)}`;
  }

  /** The file that searches use. */
  get file(): string {
    return this.current.file;
  }

  /** The connection to the file, of the calling thread. */
  get connection(): Connection {
    return this.current.connection;
  }

  readStatus(documents: Connection): IndexStatus {
    return readStatus(this.current.file, this.current.connection, documents);
  }

  /** Whether the index may contain what was removed from the documents since it was begun. */
  mayHoldRemoved(documents: Connection): boolean {
    return mayHoldRemoved(documents, this.current.connection);
  }

  /** Returns the file to build a new index in, which is empty. */
  async beginRebuild(documents: Connection): Promise<string> {
    const [first, second] = indexFilesIn(this.dataDir);
    const file = this.current.file === first ? second : first;
    const created = await createIndex(file, documents);
    created.close();
    return file;
  }

  /** Makes searches use another file, and removes the one that they used. */
  async switchTo(file: string): Promise<void> {
    const previous = this.current;
    this.current = { file, connection: await openIndexForWriting(file) };
    this.generation += 1;
    previous.connection.close();
    removeIndex(previous.file);
  }

  /** Leaves one file without a log, if possible. The connections of searches and of indexing must be closed. */
  close(): void {
    const { connection } = this.current;
    try {
      truncateLog(connection);
    } catch {
      // Nothing is lost: the next start continues with the log.
    }
    connection.close();
  }
}

export function indexFilesIn(dataDir: string): readonly [string, string] {
  return [join(dataDir, 'search.sqlite'), join(dataDir, 'search-rebuilt.sqlite')];
}

/** Removes the search index. No process may have it open. */
export function removeIndexFiles(dataDir: string): void {
  for (const file of indexFilesIn(dataDir)) removeIndex(file);
}
