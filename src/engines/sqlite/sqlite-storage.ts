import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { Committed, Storage, Transaction } from '../storage.port.js';
import type { Connection } from './database/connection.js';
import { noRoomTo } from './database/disk-space.js';
import { openDatabase } from './database/open-database.js';
import { WriteQueue } from './database/write-queue.js';
import { prepareIndex, removeIndex, whyNotSearched } from './search/index/index-database.js';
import { SqliteSearchIndex } from './search/sqlite-search-index.js';
import { tokenReader, tokenStore } from './tables/api-tokens.js';
import { attachmentReader, attachmentStore } from './tables/attachments.js';
import { auditReader, auditStore } from './tables/audit.js';
import { catalogReader, catalogStore } from './tables/catalog.js';
import { changeFeed, changeFeedReader } from './tables/changes.js';
import { entryReader, entryStore } from './tables/entries.js';
import { recordStart } from './tables/entry-writes.js';
import { sessionReader, sessionStore } from './tables/sessions.js';
import { followerReader, followerStore } from './tables/subscribers.js';
import { templateReader, templateStore } from './tables/templates.js';
import { Threads } from './workers/worker-pool.js';

export const documentsFile = 'logbook.sqlite';
const checkpointEveryMs = 1_000;

/**
 * Documents, archive, change feed and sessions in one SQLite database, `logbook.sqlite` in `dataDir`; what can be made
 * anew from it, the search index, in `search.sqlite`. Writes go through one connection; reads through another, which
 * sees only what is committed; searches through connections of their own in worker threads.
 */
export async function openSqliteStorage(
  dataDir: string,
  log: (message: string, error: unknown) => void,
): Promise<{ storage: Storage; searchIndex: SearchIndex }> {
  const file = join(dataDir, documentsFile);
  const writer = await openDatabase(file, 'writer');
  const reader = await openDatabase(file, 'reader');
  const indexFile = indexFileIn(dataDir);
  // Stays open, for a full disk might not let it be opened again.
  const index = await prepareIndex(indexFile, reader);
  try {
    recordStart(writer);
  } catch (error) {
    // A disk that is full is to be read all the same.
    log('the start could not be put on record', error);
  }
  const threads = new Threads({ file, indexFile }, log);
  const whyNot = () => whyNotSearched(indexFile, index, reader);
  const searchIndex = new SqliteSearchIndex(threads, reader, whyNot, log);
  const commits = new EventEmitter();
  const checkpoints = new Checkpoints(threads, log);
  const queue = new WriteQueue(
    writer,
    () => noRoomTo('store', writer, file),
    () => {
      checkpoints.wanted = true;
      searchIndex.written();
      commits.emit('commit');
    },
  );
  const transaction = transactionOn(writer);

  let closing: Promise<void> | undefined;
  const close = async () => {
    await queue.close();
    await checkpoints.close();
    await searchIndex.close();
    await threads.close();
    index.close();
    reader.close();
    try {
      // A copy of the one file is then a copy of everything.
      writer.get('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      log('the write-ahead log stays beside the database until the next start', error);
    }
    writer.close();
  };

  const storage: Storage = {
    committed: committedOn(reader),
    write: (work) => queue.add(() => work(transaction)),
    remove: (work) =>
      queue.add(
        async () => {
          const full = noRoomTo('remove', writer, file);
          if (full) throw full;
          return work(transaction);
        },
        { removes: true },
      ),
    onCommit(listener) {
      commits.on('commit', listener);
      return () => commits.off('commit', listener);
    },
    async status() {
      const store = reader.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'");
      return { engine: 'EMBEDDED', address: 'localhost', state: 'CONNECTED', storeId: store?.value ?? '' };
    },
    close: () => (closing ??= close()),
  };
  return { storage, searchIndex };
}

/** Removes the search index; the next that opens the storage makes it anew. Nothing may have it open. */
export function removeSearchIndex(dataDir: string): void {
  removeIndex(indexFileIn(dataDir));
}

function indexFileIn(dataDir: string): string {
  return join(dataDir, 'search.sqlite');
}

function transactionOn(connection: Connection): Transaction {
  return {
    entries: entryStore(connection),
    attachments: attachmentStore(connection),
    catalog: catalogStore(connection),
    templates: templateStore(connection),
    sessions: sessionStore(connection),
    tokens: tokenStore(connection),
    audit: auditStore(connection),
    followers: followerStore(connection),
    feed: changeFeed(connection),
  };
}

function committedOn(connection: Connection): Committed {
  return {
    entries: entryReader(connection),
    attachments: attachmentReader(connection),
    catalog: catalogReader(connection),
    templates: templateReader(connection),
    sessions: sessionReader(connection),
    tokens: tokenReader(connection),
    audit: auditReader(connection),
    followers: followerReader(connection),
    feed: changeFeedReader(connection),
  };
}

/** One checkpoint at a time, a while after commits. */
class Checkpoints {
  wanted = false;
  private running: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(threads: Threads, log: (message: string, error: unknown) => void) {
    this.timer = setInterval(() => {
      if (!this.wanted || this.running) return;
      this.wanted = false;
      this.running = threads
        .checkpoint()
        .catch((error: unknown) => {
          this.wanted = true;
          log('the checkpoint of the database failed; it is tried again', error);
        })
        .finally(() => {
          this.running = undefined;
        });
    }, checkpointEveryMs);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
