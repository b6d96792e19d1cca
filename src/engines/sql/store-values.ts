import { upsert } from './dialect.js';
import type { Statements } from './statements.port.js';

const put = upsert('store');

/** Reads a value that exists once per storage. */
export async function findValue(connection: Statements, key: string): Promise<string | undefined> {
  return (await connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', key))?.value;
}

/** Reads a position in the change feed; undefined if none is stored. */
export async function findPosition(connection: Statements, key: string): Promise<number | undefined> {
  const value = await findValue(connection, key);
  return value === undefined ? undefined : Number(value);
}

/** Replaces a position if it still equals `from` (undefined: none is stored). Returns whether it was replaced. */
export async function advancePosition(
  connection: Statements,
  key: string,
  from: number | undefined,
  to: number,
): Promise<boolean> {
  const first = 'INSERT INTO store (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING';
  if (from === undefined) return (await connection.run(first, key, String(to))) > 0;
  const next = 'UPDATE store SET value = ? WHERE key = ? AND value = ?';
  return (await connection.run(next, String(to), key, String(from))) > 0;
}

/** Stores a value that exists once per storage. */
export async function putValue(connection: Statements, key: string, value: string): Promise<void> {
  await connection.run(...put({ key, value }));
}
