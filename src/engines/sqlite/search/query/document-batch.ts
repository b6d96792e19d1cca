import { checksumOf, findDefect } from '../../../stored-document.js';
import type { Connection } from '../../database/connection.js';
import { versionNumber, withVersionNumber } from '../../tables/entry-version.js';
import type { DatedEntry } from './dated-entries.js';

const longEntryBytes = 65_536;

/** Condition under which documents are read at all: their sizes are known before their contents. */
const withinBytes = `
     WHERE (SELECT max(octet_length(document)) <= ?2 AND sum(octet_length(document)) <= ?3
       FROM json_each(?1) AS wanted CROSS JOIN entry ON entry.id = wanted.value)`;

interface JoinedDocuments {
  /** Concatenated documents, without long ones; null if there are none. */
  documents: Uint8Array | null;
  /** Ids, creation dates, lengths and checksums of the documents, as JSON. */
  parts: string;
}

export interface DatedDocument extends DatedEntry {
  readonly document: Uint8Array;
}

/** Documents read by one statement. */
export interface DocumentBatch {
  readonly documents: readonly DatedDocument[];
  /** Buffer that contains the documents. */
  readonly joined: Uint8Array;
}

/**
 * Reads and verifies documents. Returns undefined if one is long or damaged, so that they must be read individually, or
 * if they have more than `maxBytes` together.
 */
export function readDocuments(
  connection: Connection,
  ids: readonly number[],
  maxBytes?: number,
): DocumentBatch | undefined {
  if (ids.length === 0) return { documents: [], joined: new Uint8Array(0) };
  // SQLite joins the documents, because returning a row for each would take several times as long.
  const row = connection.get<JoinedDocuments>(
    `SELECT CAST(group_concat(CASE WHEN octet_length(document) <= ?2 THEN document END, '') AS BLOB) AS documents,
       json_group_array(json_array(entry.id, created_ms, octet_length(document), crc)) AS parts
     FROM json_each(?1) AS wanted CROSS JOIN entry ON entry.id = wanted.value${maxBytes === undefined ? '' : withinBytes}`,
    JSON.stringify(ids),
    longEntryBytes,
    ...(maxBytes === undefined ? [] : [maxBytes]),
  );
  if (!row?.documents) return undefined;
  const documents: DatedDocument[] = [];
  let at = 0;
  for (const [id, created_ms, length, crc] of JSON.parse(row.parts) as [number, number, number, number | null][]) {
    if (length > longEntryBytes) return undefined;
    const stored = row.documents.subarray(at, at + length);
    if (crc === null ? findDefect(stored) !== undefined : crc !== checksumOf(stored)) return undefined;
    const find = () => versionNumber(connection, id, Number.MAX_SAFE_INTEGER);
    documents.push({ id, created_ms, document: withVersionNumber(stored, find) });
    at += length;
  }
  return { documents, joined: row.documents };
}
