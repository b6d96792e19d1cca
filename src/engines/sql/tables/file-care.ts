import type {
  AttachmentReader,
  AttachmentStore,
  VerificationProgress,
} from '../../../attachments/attachment-store.port.js';
import { encodeRecords } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import { findValue, putValue } from '../store-values.js';

/** Key in the table `store` for the progress of the verification of all files. */
const verificationKey = 'file-verification';

/** Returns the read methods for the jobs that check and remove files. */
export function fileCareReader(
  connection: Statements,
): Pick<AttachmentReader, 'listFiles' | 'listUnreferenced' | 'findVerification'> {
  return {
    async listFiles(afterChecksum, limit) {
      const sql = `SELECT checksum, min(size) AS size FROM attachment
         WHERE checksum > ? GROUP BY checksum ORDER BY checksum LIMIT ?`;
      return connection.all<{ checksum: string; size: number }>(sql, afterChecksum, limit);
    },
    async listUnreferenced(state, observedMs, limit) {
      const sql = 'SELECT checksum FROM unreferenced_file WHERE is_quarantined = ? AND observed_ms >= ? LIMIT ?';
      const rows = await connection.all<{ checksum: string }>(sql, state === 'quarantined', observedMs, limit);
      return rows.map(({ checksum }) => checksum);
    },
    async findVerification() {
      const value = await findValue(connection, verificationKey);
      return value === undefined ? undefined : (JSON.parse(value) as VerificationProgress);
    },
  };
}

/** Returns the write methods for the jobs that check and remove files. */
export function fileCareStore(
  connection: Statements,
): Pick<AttachmentStore, 'observeUnreferenced' | 'forgetUnreferenced' | 'storeVerification'> {
  const { dialect } = connection;
  return {
    async observeUnreferenced(checksums, state, elapsedMs) {
      await connection.run(
        `INSERT INTO unreferenced_file (checksum, is_quarantined, observed_ms)
         SELECT checksum, ?, 0 FROM ${dialect.records('observed', { checksum: 'text' })} WHERE true
         ON CONFLICT (checksum) DO UPDATE SET is_quarantined = excluded.is_quarantined,
           observed_ms = CASE WHEN unreferenced_file.is_quarantined = excluded.is_quarantined
             THEN unreferenced_file.observed_ms + CAST(? AS bigint) ELSE 0 END`,
        state === 'quarantined',
        encodeRecords([...new Set(checksums)].map((checksum) => ({ checksum }))),
        Math.round(elapsedMs),
      );
    },
    async forgetUnreferenced(checksums) {
      await connection.run(`DELETE FROM unreferenced_file WHERE ${dialect.isIn('checksum', 'text')}`, checksums);
    },
    async storeVerification(progress) {
      await putValue(connection, verificationKey, JSON.stringify(progress));
    },
  };
}
