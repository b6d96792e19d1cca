import type { Storage } from '../engines/storage.port.js';
import type { Integrity } from '../kernel/integrity.js';
import { attachmentsFolder } from './storage-identity.js';

/** Some of its entries tell an operator what is affected. */
const maxReportedEntries = 5;

/** Reports a file that is damaged or missing, with the entries that show it. */
export async function reportDamagedFile(
  storage: Storage,
  integrity: Integrity,
  checksum: string,
  reason: string,
): Promise<void> {
  if (integrity.has('attachment', checksum)) return;
  const { attachments } = storage.committed;
  // The report must not depend on what the database can still tell.
  const entryIds = await attachments.listEntriesOfFile(checksum, maxReportedEntries).catch(() => []);
  const path = `${attachmentsFolder}/${checksum.slice(0, 2)}/${checksum}`;
  integrity.report({ kind: 'attachment', subject: checksum, path, reason, entryIds });
}
