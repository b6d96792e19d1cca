import { existsSync, rmSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Connection, loadSqlite } from './connection.js';

const busyTimeoutMs = 5_000;

/**
 * Reads a database without leaving a trace. An ordinary read-only connection would create the files of a write-ahead
 * log and leave them there. The data directory must be locked or unused.
 * @throws error of `read`; every SQLite error as a Fault
 */
export async function readUnchanged<T>(file: string, read: (connection: Connection) => T): Promise<T> {
  const DatabaseSync = await loadSqlite();
  const [log, sharedMemory] = [`${file}-wal`, `${file}-shm`];
  const hadSharedMemory = existsSync(sharedMemory);
  const logBytes = statSync(log, { throwIfNoEntry: false })?.size;
  const isLogNeeded = logBytes !== undefined && (logBytes > 0 || hadSharedMemory);
  const url = pathToFileURL(file);
  // A missing log means that the file is complete and can be read as immutable.
  if (!isLogNeeded) url.searchParams.set('immutable', '1');
  let connection: Connection | undefined;
  try {
    connection = new Connection(new DatabaseSync(url, { readOnly: true, timeout: busyTimeoutMs }));
    return read(connection);
  } finally {
    connection?.close();
    if (isLogNeeded && !hadSharedMemory) rmSync(sharedMemory, { force: true });
  }
}
