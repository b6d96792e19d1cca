import { createReadStream } from 'node:fs';
import { copyFile, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../kernel/make-directory.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { unlessMissing } from '../../kernel/unless-missing.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';
import { snapshotFolder } from '../replica-snapshot-options.js';
import { readBlobStoreId } from './blob-store-identity.js';

/**
 * Opens the replica snapshots in the attachments directory of a logbook.
 * @throws Error when the directory does not belong to this logbook, for example because its file system is not mounted
 */
export async function openDirectorySnapshots(attachmentsDir: string, storeId: string): Promise<ReplicaSnapshotStore> {
  const owner = await readBlobStoreId(attachmentsDir);
  if (owner !== storeId) {
    throw new Error(
      `attachmentsDir ${attachmentsDir} belongs to another logbook. Check that its file system is mounted.`,
    );
  }
  const dir = join(attachmentsDir, snapshotFolder);
  return {
    name: dir,
    async list() {
      return (await unlessMissing(() => readdir(dir))) ?? [];
    },
    async open(object) {
      const handle = await unlessMissing(() => open(join(dir, object), 'r'));
      return handle && createReadStream('', { fd: handle });
    },
    async store(object, path) {
      await makeDirectory(dir, 0o700);
      const part = join(dir, `${object}.part`);
      await copyFile(path, part);
      const handle = await open(part, 'r+');
      try {
        await handle.chmod(0o600);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(part, join(dir, object));
      await syncDirectory(dir);
      await syncDirectory(attachmentsDir);
    },
    remove: (object) => rm(join(dir, object), { force: true }),
    async freeBytes() {
      const { bavail, bsize } = await statfs(attachmentsDir);
      return bavail * bsize;
    },
    close: () => undefined,
  };
}
