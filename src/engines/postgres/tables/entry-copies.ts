import type { EntryCopy, EntryCopyReader, StoredVersion } from '../../../entries/entry-copies.port.js';
import { maxAttachmentChars } from '../../../entries/searchable-entry.js';
import type { Statements } from '../../sql/statements.port.js';
import { redactionReader } from '../../sql/tables/redactions.js';
import { readText, type TextRow } from '../../stored-rows.js';

interface EntryRow extends StoredVersion {
  readonly id: number;
  readonly created_ms: number;
  readonly owner: string;
  readonly in_reply_to: number | null;
}

export function entryCopyReader(connection: Statements): EntryCopyReader {
  return {
    async listCurrent(ids, maxBytes) {
      const rows = await connection.all<EntryRow>(
        // Reading the lengths does not load the documents.
        `SELECT entry.id, version AS revision, document, crc, created_ms, owner, in_reply_to FROM (
           SELECT id, place, row_number() OVER (ORDER BY place) AS number,
             sum(octet_length(document)) OVER (ORDER BY place) AS bytes
           FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (id, place) JOIN entry USING (id)
         ) AS sized JOIN entry USING (id) WHERE number = 1 OR bytes <= $2 ORDER BY place`,
        ids,
        maxBytes,
      );
      return rows.map(
        (row): EntryCopy => ({
          id: row.id,
          revision: row.revision,
          document: row.document,
          crc: row.crc,
          createdMs: row.created_ms,
          owner: row.owner,
          inReplyTo: row.in_reply_to,
        }),
      );
    },
    async listArchived(id, from, below, limit) {
      return connection.all<StoredVersion>(
        `SELECT version AS revision, document, crc FROM archived_entry
         WHERE entry_id = $1 AND version >= $2 AND version < $3 ORDER BY version LIMIT $4`,
        id,
        from,
        below,
        limit,
      );
    },
    async findText(checksum) {
      const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum = $1';
      const row = await connection.get<TextRow>(sql, checksum);
      return row && readText(connection, row)?.slice(0, maxAttachmentChars);
    },
    listRedactions: (after, limit) => redactionReader(connection).listRedactions(after, limit),
  };
}
