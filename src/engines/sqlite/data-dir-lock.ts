import { join } from 'node:path';
import { loadSqlite } from './database/connection.js';

/**
 * Locks a data directory for this process. The operating system releases the lock however the process ends.
 * @returns a function that releases the lock; undefined when another process holds it
 */
export async function lockDataDir(dataDir: string): Promise<(() => void) | undefined> {
  const DatabaseSync = await loadSqlite();
  const db = new DatabaseSync(join(dataDir, 'lock.sqlite'), { timeout: 0 });
  try {
    // Nothing is ever written; otherwise a full disk would prevent the service from starting.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
  return () => db.close();
}
