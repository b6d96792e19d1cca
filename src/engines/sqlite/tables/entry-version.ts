import type { Statements } from '../database/connection.js';

/**
 * The number of a version as clients see it: 1 when created, one more with each edit. It is not the number in the table,
 * which joining a group increases too. An entry is encoded with it; a document that an earlier version of the program
 * stored lacks it.
 */
export function versionNumber(connection: Pick<Statements, 'get'>, entryId: number, version: number): number {
  const row = connection.get<{ earlier: number }>(
    'SELECT count(*) AS earlier FROM archived_entry WHERE entry_id = ? AND version < ?',
    entryId,
    version,
  );
  return 1 + (row?.earlier ?? 0);
}

const closeBracket = 0x5d;

/** Returns a document with the number of its version as the last field, which it may have already. */
export function withVersionNumber(document: Uint8Array, numberOf: () => number): Uint8Array {
  // A document without a version ends with the list of its attachments.
  if (document.at(-2) !== closeBracket) return document;
  return Buffer.concat([document.subarray(0, -1), Buffer.from(`,"version":${numberOf()}}`)]);
}
