import { join } from 'node:path';
import type { BlobStore } from '../attachments/blob-store.port.js';
import { openFileBlobStore } from '../engines/files/file-blob-store.js';
import type { Storage } from '../engines/storage.port.js';
import type { BlobOptions } from '../engines/storage-options.js';
import type { Integrity } from '../kernel/integrity.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { CleanupStack } from './cleanup-stack.js';
import { attachmentsFolder } from './storage-identity.js';

interface Deps {
  readonly storage: Storage;
  readonly log: Log;
  readonly jobs: JobRegistry;
  readonly integrity: Integrity;
}

/** Files in a directory that several nodes share. Each node uses a different name. */
export interface SharedFiles {
  readonly kind: 'shared-files';
  readonly dir: string;
  readonly node: string;
}

/**
 * Opens the store of the attachment files of this storage.
 * @throws Error that explains what is wrong with its settings, or that it belongs to another logbook
 */
export async function openBlobStore(
  options: BlobOptions | SharedFiles,
  dataDir: string,
  { storage, log, jobs, integrity }: Deps,
  cleanup: CleanupStack,
): Promise<BlobStore> {
  const eventsIn = (place: string) => ({
    onDamage: (checksum: string, _condition: string, reason: string) => {
      const path = `${place}/${checksum.slice(0, 2)}/${checksum}`;
      void reportDamagedFile({ storage, integrity }, checksum, path, reason);
    },
    onIntact: (checksum: string) => integrity.resolve('attachment', checksum),
  });
  switch (options.kind) {
    case 'files':
      return openFileBlobStore({ dir: join(dataDir, attachmentsFolder), ...eventsIn(attachmentsFolder) });
    case 'shared-files':
      return openFileBlobStore({ dir: options.dir, node: options.node, ...eventsIn(options.dir) });
    case 's3': {
      const { s3 } = options;
      // The client takes 0.2 s and 23 MB, so it is only loaded when needed.
      const { openS3BlobStore } = await import('../engines/s3/s3-blob-store.js');
      const { storeId } = await storage.status();
      const hasFiles = (await storage.committed.attachments.listFiles('', 1)).length > 0;
      const opened = await openS3BlobStore({
        s3,
        incomingDir: join(dataDir, 'incoming'),
        owner: { storeId, hasFiles },
        log: log.child({ part: 's3' }),
        jobs,
        ...eventsIn(`s3://${s3.bucket}/${s3.prefix}`.replace(/\/$/, '')),
      });
      cleanup.defer(() => opened.close());
      return opened.blobs;
    }
  }
}

/** Maximum number of entries in a report. A few show an operator what is affected. */
const maxReportedEntries = 5;

async function reportDamagedFile(
  { storage, integrity }: Pick<Deps, 'storage' | 'integrity'>,
  checksum: string,
  path: string,
  reason: string,
): Promise<void> {
  if (integrity.has('attachment', checksum)) return;
  const { attachments } = storage.committed;
  // The damage is reported even if the database cannot list the entries.
  const entryIds = integrity.isLogging
    ? await attachments.listEntriesOfFile(checksum, maxReportedEntries).catch(() => [])
    : [];
  integrity.report({ kind: 'attachment', subject: checksum, path, reason, entryIds });
}
