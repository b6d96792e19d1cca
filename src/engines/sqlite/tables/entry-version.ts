import type { Statements } from '../database/connection.js';

/**
 * Returns the version number that clients see: 1 at creation, incremented by each edit. The number in the table
 * differs, because joining a group increments it, too. Entries are encoded with the number that clients see; documents
 * stored by an earlier version of the program lack it.
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

/** Returns a document with its version number as the last field; unchanged if it already has one. */
export function withVersionNumber(document: Uint8Array, numberOf: () => number): Uint8Array {
  // A document without a version number ends with the list of its attachments.
  if (document.at(-2) !== closeBracket) return document;
  return Buffer.concat([document.subarray(0, -1), Buffer.from(`,"version":${numberOf()}}`)]);
}
