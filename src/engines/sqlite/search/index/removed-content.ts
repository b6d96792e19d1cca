import type { Connection } from '../../database/connection.js';

/**
 * Redacted content in the index. An index that was built before a redaction may still contain redacted content: as
 * words of its vocabulary, and in lists that no current document explains. Each index therefore records the newest
 * redaction at its creation, and is rebuilt after a newer one. In the meantime, searches read the redacted entries from
 * the documents.
 */

/** Returns the number of the newest redaction; 0 if there is none. */
export function newestRedaction(documents: Pick<Connection, 'get'>): number {
  return documents.get<{ newest: number }>('SELECT coalesce(max(number), 0) AS newest FROM redaction')?.newest ?? 0;
}

/** Lists the redactions after a number, oldest first; `entryId` is undefined if the document is damaged. */
export function listRedactedAfter(
  documents: Pick<Connection, 'all'>,
  after: number,
): { readonly number: number; readonly entryId: number | undefined }[] {
  const sql = 'SELECT number, document FROM redaction WHERE number > ? ORDER BY number';
  return documents
    .all<{ number: number; document: string }>(sql, after)
    .map(({ number, document }) => ({ number, entryId: entryIdIn(document) }));
}

function entryIdIn(document: string): number | undefined {
  try {
    return (JSON.parse(document) as { readonly entryId?: number }).entryId;
  } catch {
    return undefined;
  }
}

/**
 * Records the newest redaction in an index that has not read any document yet, so that the index never contains what
 * that redaction removed.
 */
export function recordRedaction(index: Connection, number: number): void {
  index.exec('CREATE TABLE IF NOT EXISTS built_after (redaction INTEGER NOT NULL)');
  index.run('INSERT INTO built_after (redaction) VALUES (?)', number);
}

/** Whether an index may contain content that was redacted from the documents. */
export function mayHoldRemoved(documents: Pick<Connection, 'get'>, index: Connection): boolean {
  return newestRedaction(documents) > builtAfter(index);
}

/** Returns the number of the newest redaction when the index was created; 0: there was none, or it is unknown. */
export function builtAfter(index: Pick<Connection, 'get'>): number {
  // Indexes of earlier versions of the program do not record it.
  if (!index.get("SELECT 1 FROM sqlite_schema WHERE name = 'built_after'")) return 0;
  return index.get<{ redaction: number }>('SELECT max(redaction) AS redaction FROM built_after')?.redaction ?? 0;
}
