import { createReadStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileReader, FileState } from '../../backup/file-access.port.js';
import { unlessMissing } from '../../kernel/unless-missing.js';
import { folders } from './blob-folders.js';
import { blobStoreIdFile, readBlobStoreId } from './blob-store-identity.js';

/** Opens a reader for the folder of a blob store that another process may be using. */
export function fileReader(dir: string): FileReader {
  const pathOf = (checksum: string, state: FileState = 'stored') =>
    join(dir, state === 'stored' ? checksum.slice(0, 2) : 'quarantine', checksum);
  return {
    async open(checksum) {
      // The service may move the file during the lookup.
      for (const state of ['stored', 'quarantined', 'stored'] as const) {
        const handle = await unlessMissing(() => open(pathOf(checksum, state), 'r'));
        if (handle) return { content: createReadStream('', { fd: handle }), state };
      }
      return undefined;
    },
    async *list(state) {
      for (const folder of state === 'stored' ? folders : ['quarantine']) {
        const names = (await unlessMissing(() => readdir(join(dir, folder)))) ?? [];
        yield names.filter((name) => /^[0-9a-f]{64}$/.test(name));
      }
    },
    findOwner: () => readBlobStoreId(dir),
    ownerRecordPath: join(dir, blobStoreIdFile),
    describe: pathOf,
    close: async () => undefined,
  };
}
