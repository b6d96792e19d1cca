import { workerData } from 'node:worker_threads';
import { Fault, type FaultKind } from '../../kernel/fault.js';
import type { Query } from '../../search/query.js';
import type { SearchPage } from '../../search/search-index.port.js';
import { compileQuery, searchTooSlow } from './compile-query.js';
import type { Connection } from './database.js';
import { openDatabase } from './open-database.js';

export interface WorkerSettings {
  readonly file: string;
}

export type Task =
  | {
      readonly kind: 'search';
      readonly query: Query;
      /** When nobody waits for the answer any more, in milliseconds since the epoch. */
      readonly deadlineMs: number;
    }
  | { readonly kind: 'checkpoint' };

/** A fault does not keep its class on the way between threads. */
export type Outcome =
  | { readonly kind: 'page'; readonly page: SearchPage }
  | { readonly kind: 'done' }
  | { readonly kind: 'fault'; readonly fault: { kind: FaultKind; code: string; message: string; cause: string } };

const { file } = workerData as WorkerSettings;
let reader: Connection | undefined;
let checkpointer: Connection | undefined;

/** Runs one task; the thread keeps its connections for the next. */
export async function run(task: Task): Promise<Outcome> {
  try {
    if (task.kind === 'checkpoint') {
      checkpointer ??= await openDatabase(file, 'checkpointer');
      checkpoint(checkpointer);
      return { kind: 'done' };
    }
    reader ??= await openDatabase(file, 'reader');
    return { kind: 'page', page: search(reader, task.query, task.deadlineMs) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, code, message, cause } = error;
    return { kind: 'fault', fault: { kind, code, message, cause: String(cause) } };
  }
}

function search(connection: Connection, query: Query, deadlineMs: number): SearchPage {
  const checkTime = () => {
    if (Date.now() > deadlineMs) throw searchTooSlow();
  };
  checkTime();
  // One transaction: the count and the page are of the same moment.
  connection.exec('BEGIN');
  try {
    const { sql, values } = compileQuery(connection, query, checkTime);
    checkTime();
    const { count } = connection.get<{ count: number }>(
      `SELECT count(*) AS count FROM entry WHERE ${sql}`,
      ...values,
    ) ?? {
      count: 0,
    };
    checkTime();
    const order = query.sort === 'newest' ? 'DESC' : 'ASC';
    const rows =
      query.size === 0 || query.from >= count
        ? []
        : connection.all<{ document: string }>(
            `SELECT document FROM entry WHERE ${sql} ORDER BY created_ms ${order}, id ${order} LIMIT ? OFFSET ?`,
            ...values,
            query.size,
            query.from,
          );
    const entriesJson = new TextEncoder().encode(`[${rows.map((row) => row.document).join(',')}]`);
    return { hitCount: count, entriesJson };
  } finally {
    connection.exec('ROLLBACK');
  }
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
