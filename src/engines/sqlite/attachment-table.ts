import type { Attachment } from '../../attachments/attachment.js';
import type { AttachmentReader, AttachmentStore } from '../../attachments/attachment-store.port.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { type Connection, isUniqueViolation } from './database.js';

export function attachmentReader(connection: Connection): AttachmentReader {
  return {
    async find(id) {
      const row = connection.get<{ document: string }>('SELECT document FROM attachment WHERE id = ?', id);
      return row && (JSON.parse(row.document) as Attachment);
    },
    async claimed(checksums) {
      const rows = connection.all<{ checksum: string }>(
        'SELECT DISTINCT checksum FROM attachment WHERE checksum IN (SELECT value FROM json_each(?))',
        JSON.stringify(checksums),
      );
      return new Set(rows.map((row) => row.checksum));
    },
  };
}

export function attachmentStore(connection: Connection): AttachmentStore {
  return {
    ...attachmentReader(connection),
    async claim(attachment) {
      try {
        connection.run(
          'INSERT INTO attachment (id, checksum, document) VALUES (?, ?, ?)',
          attachment.id,
          attachment.checksum,
          JSON.stringify(attachment),
        );
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Fault(
          'conflict',
          'attachment.id-taken',
          `An attachment with the id ${quoted(attachment.id)} exists already. Choose another id, for example a new UUID.`,
          { cause: error },
        );
      }
    },
  };
}
