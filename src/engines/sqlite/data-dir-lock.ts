import { join } from 'node:path';
import { loadSqlite } from './database/connection.js';

/**
 * Makes this process the only one on a data directory until it ends, however it ends: the lock is the operating
 * system's and needs no clean-up.
 * @returns the way to give it up; undefined when another process has it
 */
export async function lockDataDir(dataDir: string): Promise<(() => void) | undefined> {
  const DatabaseSync = await loadSqlite();
  const db = new DatabaseSync(join(dataDir, 'lock.sqlite'), { timeout: 0 });
  try {
    // Nothing is ever written, so that a full disk does not keep the service from starting.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
  return () => db.close();
}
