import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { makeTempDir } from '../fixtures/service.js';
import { blobStoreSuite, type OpenBlobStore } from './blob-store.suite.js';

describe('the engine files', () => {
  describe('blob store', () => blobStoreSuite({ open: async () => openIn(await makeTempDir()) }));
});

async function openIn(dir: string): Promise<OpenBlobStore> {
  return {
    blobs: await openFileBlobStore(dir),
    reopen: () => openIn(dir),
    damage: (checksum) => rm(join(dir, checksum.slice(0, 2), checksum)),
    destroy: () => rm(dir, { recursive: true, force: true }),
  };
}
