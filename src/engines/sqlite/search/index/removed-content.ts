import type { Connection } from '../../database/connection.js';

/**
 * Removed content in the index: an index that was built before a redaction may still contain what an administrator has
 * removed, as words of the dictionary and in lists that later documents do not explain. Each index therefore records
 * the newest redaction at its start, and is rebuilt after a newer one. Until then, searches read the redacted entries
 * from the documents.
 */

/** Returns the number of the newest redaction; 0 when there is none. */
export function newestRedaction(documents: Pick<Connection, 'get'>): number {
  return documents.get<{ newest: number }>('SELECT coalesce(max(number), 0) AS newest FROM redaction')?.newest ?? 0;
}

/** Lists the redactions after a number, oldest first; without the entry where the document is damaged. */
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
 * Records the newest redaction in an index that has read nothing yet: everything that it reads is from after this
 * redaction.
 */
export function recordRedaction(index: Connection, number: number): void {
  index.exec('CREATE TABLE IF NOT EXISTS built_after (redaction INTEGER NOT NULL)');
  index.run('INSERT INTO built_after (redaction) VALUES (?)', number);
}

/** Whether an index may contain what was removed from the documents. */
export function mayHoldRemoved(documents: Pick<Connection, 'get'>, index: Connection): boolean {
  return newestRedaction(documents) > builtAfter(index);
}

/** Returns the number of the newest redaction when the index was begun; 0: there was none, or it is not known. */
export function builtAfter(index: Pick<Connection, 'get'>): number {
  // An index of an earlier version of the program records nothing.
  if (!index.get("SELECT 1 FROM sqlite_schema WHERE name = 'built_after'")) return 0;
  return index.get<{ redaction: number }>('SELECT max(redaction) AS redaction FROM built_after')?.redaction ?? 0;
}
