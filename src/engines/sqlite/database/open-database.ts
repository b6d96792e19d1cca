import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DamageReports } from '../../../kernel/integrity.js';
import { Connection, loadSqlite } from './connection.js';
import { newestSchema, readSchema } from './schema-version.js';
import { describeError, toFault } from './sqlite-errors.js';

/** Maximum time that a statement waits for a lock. Only a checkpoint or a guest can hold one, and only briefly. */
const busyTimeoutMs = 5_000;
/**
 * Length of the log in pages (160 MB) at which SQLite runs a checkpoint itself, in case the checkpoint worker fails.
 */
const autoCheckpointPages = 40_000;
/**
 * Size to which the write-ahead log shrinks after a burst of writes. It is not truncated further, because commits that
 * extend the file are slower.
 */
const restingLogBytes = 16_777_216;

/** Role of a connection. `guest`: opened by a process other than the one that uses the data directory. */
export type ConnectionRole = 'writer' | 'reader' | 'checkpointer' | 'guest';

/** Opens the database of a data directory. The writer creates it if necessary and migrates it to the newest schema. */
export async function openDatabase(file: string, role: ConnectionRole, reports?: DamageReports): Promise<Connection> {
  const DatabaseSync = await loadSqlite();
  const connection = new Connection(
    new DatabaseSync(role === 'checkpointer' || role === 'guest' ? onlyExisting(file) : file, {
      timeout: busyTimeoutMs,
      readOnly: role === 'reader',
    }),
    (cause) => {
      const name = basename(file);
      reports?.report({ kind: 'database', subject: name, path: name, reason: describeError(cause) });
      return toFault(cause);
    },
    (damage) => reports?.report({ ...damage, path: basename(file) }),
  );
  try {
    await configure(connection, role);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/**
 * Returns the URL of a database that must exist. Otherwise, SQLite would create it, and adopt the write-ahead log of a
 * database that was moved away.
 */
function onlyExisting(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  return url;
}

async function configure(connection: Connection, role: ConnectionRole): Promise<void> {
  connection.exec('PRAGMA temp_store = MEMORY');
  if (role === 'reader') return;
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA secure_delete = ON;
    PRAGMA wal_autocheckpoint = ${role === 'guest' ? 0 : autoCheckpointPages};
    PRAGMA journal_size_limit = ${restingLogBytes};
  `);
  if (role === 'writer' && readSchema(connection) !== newestSchema) {
    const { migrate } = await import('./migrations.js');
    migrate(connection);
  }
  // A checkpoint that waits for readers would also block the writer, and thus the event loop.
  if (role === 'checkpointer') connection.exec('PRAGMA busy_timeout = 0');
}
