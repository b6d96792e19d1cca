import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileRestore } from '../../backup/file-access.port.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { unlessMissing } from '../../kernel/unless-missing.js';
import { prepareFolders } from './blob-folders.js';
import { writeBlobStoreId } from './blob-store-identity.js';

/** Restores files into the folder of a blob store; creates the folder if it does not exist. */
export async function openFileRestore(dir: string): Promise<FileRestore> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const incoming = await prepareFolders(dir, undefined);
  const changed = new Set<string>();
  const pathOf = (checksum: string) => join(dir, checksum.slice(0, 2), checksum);
  return {
    async has({ checksum }) {
      const handle = await unlessMissing(() => open(pathOf(checksum), 'r'));
      if (!handle) return false;
      const hash = createHash('sha256');
      for await (const chunk of handle.createReadStream() as AsyncIterable<Buffer>) hash.update(chunk);
      changed.add(dirname(pathOf(checksum)));
      return hash.digest('hex') === checksum;
    },
    async add({ checksum }, content) {
      const staged = join(incoming, randomUUID());
      const path = pathOf(checksum);
      try {
        const handle = await open(staged, 'wx', 0o600);
        try {
          for await (const chunk of content) await handle.writeFile(chunk);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(staged, path);
      } catch (error) {
        await rm(staged, { force: true });
        throw error;
      }
      changed.add(dirname(path));
    },
    async complete(storeId) {
      for (const folder of changed) await syncDirectory(folder);
      await writeBlobStoreId(dir, storeId);
      await syncDirectory(dirname(dir));
    },
    close: async () => undefined,
  };
}
