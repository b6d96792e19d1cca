import { loadSqlite } from './database/connection.js';
import { newestSchema } from './database/schema-version.js';

/** Returns the version of SQLite and the newest schema that this program supports. */
export async function describeSqlite(): Promise<string> {
  const DatabaseSync = await loadSqlite();
  const db = new DatabaseSync(':memory:');
  try {
    const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    return `SQLite ${version}, schema version ${newestSchema}`;
  } finally {
    db.close();
  }
}
