import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../src/attachments/blob-store.port.js';
import type { AuthenticationProvider } from '../../src/auth/provider.port.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { inMemoryProvider } from '../../src/engines/in-memory/in-memory-provider.js';
import { openSqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import type { Storage } from '../../src/storage/storage.port.js';
import { makeTempDir } from '../fixtures/service.js';

/** Every engine that the contract suites run on. A new engine is one more row. */

export interface OpenStorage {
  readonly storage: Storage;
  readonly searchIndex: SearchIndex;
  /** Closes it and opens it again, as a restart does. */
  reopen(): Promise<OpenStorage>;
  /** Closes it and removes its data. */
  destroy(): Promise<void>;
}

export const storageEngines: readonly { readonly name: string; readonly open: () => Promise<OpenStorage> }[] = [
  { name: 'sqlite', open: async () => openSqliteIn(await makeTempDir()) },
];

async function openSqliteIn(dir: string): Promise<OpenStorage> {
  const { storage, searchIndex } = await openSqliteStorage(dir, () => undefined);
  return {
    storage,
    searchIndex,
    async reopen() {
      await storage.close();
      return openSqliteIn(dir);
    },
    async destroy() {
      await storage.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export interface OpenBlobStore {
  readonly blobs: BlobStore;
  /** Opens the same data again, as a restart does. */
  reopen(): Promise<OpenBlobStore>;
  /** Makes the stored content unreadable. */
  damage(checksum: string): Promise<void>;
  destroy(): Promise<void>;
}

export const blobEngines: readonly { readonly name: string; readonly open: () => Promise<OpenBlobStore> }[] = [
  { name: 'files', open: async () => openFilesIn(await makeTempDir()) },
];

async function openFilesIn(dir: string): Promise<OpenBlobStore> {
  return {
    blobs: await openFileBlobStore(dir),
    reopen: () => openFilesIn(dir),
    damage: (checksum) => rm(join(dir, checksum.slice(0, 2), checksum)),
    destroy: () => rm(dir, { recursive: true, force: true }),
  };
}

export const authenticationEngines: readonly {
  readonly provider: AuthenticationProvider;
  readonly user: { readonly userName: string; readonly password: string };
}[] = [{ provider: inMemoryProvider, user: { userName: 'user', password: 'userPass' } }];
