import type { Connection } from './connection.js';

/** Newest schema that this version of the program can use. */
export const newestSchema = 18;

export function readSchema(connection: Connection): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}
