import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { makeTempDir } from '../fixtures/service.js';
import { blobStoreSuite, type OpenBlobStore } from './blob-store.suite.js';

describe('the engine files', () => {
  describe('blob store', () => blobStoreSuite({ open: async () => openIn(await makeTempDir()) }));
});

async function openIn(dir: string): Promise<OpenBlobStore> {
  const damages = new Map<string, string>();
  const fileOf = (checksum: string) => join(dir, checksum.slice(0, 2), checksum);
  return {
    blobs: await openFileBlobStore({ dir, onDamage: (checksum, condition) => damages.set(checksum, condition) }),
    reopen: () => openIn(dir),
    damage: (checksum, content) => (content ? writeFile(fileOf(checksum), content) : rm(fileOf(checksum))),
    damaged: () => [...damages],
    destroy: () => rm(dir, { recursive: true, force: true }),
  };
}
