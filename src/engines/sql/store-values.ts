import { upsert } from './dialect.js';
import type { Statements } from './statements.port.js';

const put = upsert('store');

/** Reads a value that exists once in the whole storage. */
export async function findValue(connection: Statements, key: string): Promise<string | undefined> {
  return (await connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', key))?.value;
}

/** Stores a value that exists once in the whole storage. */
export async function putValue(connection: Statements, key: string, value: string): Promise<void> {
  await connection.run(...put({ key, value }));
}
