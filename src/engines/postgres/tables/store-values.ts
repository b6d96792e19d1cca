import type { Statements } from '../database/statements.js';

/** Stores a value of which there is one in the whole storage. */
export async function putValue(connection: Statements, key: string, value: string): Promise<void> {
  await connection.run(
    'INSERT INTO store (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    key,
    value,
  );
}
