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

const replacedReasons = {
  missing: 'there was none',
  'other-format': 'it was written by another version of the program',
  'other-documents': 'the database was restored from a copy and lacks writes that the index contains',
};

/** Returns the reason for which an index is built, and what follows from it, for the log. */
export const describeReplacement = (kind: keyof typeof replacedReasons) => ({
  reason: replacedReasons[kind],
  consequence:
    'entries are read and written as usual; searches are answered with 503 search.index-building until the index is nearly complete',
});

/**
 * The search index and its two possible files. A damaged index is rebuilt in the other file while searches use the
 * damaged one. Then searches switch to the new file, and the damaged one is removed. After a crash, startup continues
 * with the file that is not marked as damaged, even if it is incomplete.
 */
export class IndexFiles {
  private constructor(
    private readonly dataDir: string,
    private current: { readonly file: string; readonly connection: Connection },
    /** Reason why startup replaced the index with an empty one, or continues a replacement; undefined: neither. */
    readonly replacedAtStart: ReplacedIndex | undefined,
  ) {}

  /** Opens the index of these documents at startup; an unusable one is replaced with an empty one. */
  static async open(dataDir: string, documents: Connection): Promise<IndexFiles> {
    const [first, second] = indexFilesIn(dataDir);
    const file = existsSync(second) && !isMarkedCorrupt(second) ? second : first;
    const { connection, replaced } = await prepareIndex(file, documents);
    const other = file === first ? second : first;
    const continued: ReplacedIndex | undefined = isMarkedCorrupt(other)
      ? { kind: 'damaged', file: other, reason: foundByEarlierRun }
      : undefined;
    removeIndex(other);
    // The connection stays open, because reopening it could fail on a full disk.
    return new IndexFiles(dataDir, { file, connection }, replaced ?? continued);
  }

  /**
   * Number that increases when searches switch to another file. File names are reused, so a name does not identify an
   * index.
   */
  generation = 0;

  /** Returns a revision that changes whenever the results of searches may change. */
  revisionWith(documents: Connection): string {
    return `${this.generation} ${newestSequence(documents)} ${newestRedaction(documents)}`;
  }

  /** File that searches use. */
  get file(): string {
    return this.current.file;
  }

  /** Connection of the calling thread to the file that searches use. */
  get connection(): Connection {
    return this.current.connection;
  }

  readStatus(documents: Connection): IndexStatus {
    return readStatus(this.current.file, this.current.connection, documents);
  }

  /** Whether the index may contain content that was redacted from the documents after the index was created. */
  mayHoldRemoved(documents: Connection): boolean {
    return mayHoldRemoved(documents, this.current.connection);
  }

  /** Creates an empty index for a rebuild; returns its file. */
  async beginRebuild(documents: Connection): Promise<string> {
    const [first, second] = indexFilesIn(this.dataDir);
    const file = this.current.file === first ? second : first;
    const created = await createIndex(file, documents);
    created.close();
    return file;
  }

  /** Switches searches to another file, and removes the previous one. */
  async switchTo(file: string): Promise<void> {
    const previous = this.current;
    this.current = { file, connection: await openIndexForWriting(file) };
    this.generation += 1;
    previous.connection.close();
    removeIndex(previous.file);
  }

  /**
   * Closes the index, if possible leaving only its file without a log. The connections for searching and indexing must
   * be closed.
   */
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

/** Removes the search index and returns its files, of which there are two during a rebuild. No process may use them. */
export function removeIndexFiles(dataDir: string): string[] {
  const files = indexFilesIn(dataDir);
  const present = files.filter((file) => existsSync(file));
  for (const file of files) removeIndex(file);
  return present;
}
