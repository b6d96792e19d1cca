import { Connection, loadSqlite } from './connection.js';
import { migrate } from './migrations.js';

/** How long a statement waits for a lock; only the checkpoint can hold one, and not for long. */
const busyTimeoutMs = 5_000;
/** The checkpoint runs in a worker thread; this bound in pages (160 MB) holds when that thread is gone. */
const autoCheckpointPages = 40_000;

export type ConnectionRole = 'writer' | 'reader' | 'checkpointer';

/** Opens the database of a data directory; the writer makes it and brings it to the newest schema. */
export async function openDatabase(file: string, role: ConnectionRole): Promise<Connection> {
  const DatabaseSync = await loadSqlite();
  const connection = new Connection(new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: role === 'reader' }));
  connection.exec('PRAGMA temp_store = MEMORY');
  if (role === 'reader') return connection;
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA wal_autocheckpoint = ${autoCheckpointPages};
    PRAGMA journal_size_limit = 67108864;
  `);
  if (role === 'writer') migrate(connection);
  // A checkpoint that waited for readers would keep writers, and with them the event loop, waiting too.
  else connection.exec('PRAGMA busy_timeout = 0');
  return connection;
}
