import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../src/attachments/blob-store.port.js';
import type { AuthenticationProvider } from '../../src/auth/authentication-provider.port.js';
import { evaluationUsers } from '../../src/auth/evaluation-users.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { openSqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import type { Storage } from '../../src/engines/storage.port.js';
import { ldapProvider } from '../../src/integrations/ldap/ldap-provider.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import { hasSlapd, Slapd, slapdBase } from '../directories/slapd.js';
import { silentJobs, silentLog } from '../fixtures/log.js';
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
  const { storage, searchIndex } = await openSqliteStorage({ dataDir: dir, log: silentLog, jobs: silentJobs() });
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

export interface OpenAuthentication {
  readonly provider: AuthenticationProvider;
  /** Somebody whom it knows. */
  readonly user: { readonly userName: string; readonly password: string };
  close(): Promise<void>;
}

export const authenticationEngines: readonly {
  readonly name: string;
  /** False where what it takes is not installed. */
  readonly isPossible: boolean;
  readonly open: () => Promise<OpenAuthentication>;
}[] = [
  { name: 'inMemory', isPossible: true, open: async () => openInMemory() },
  { name: 'ldap', isPossible: hasSlapd, open: openLdap },
];

function openInMemory(): OpenAuthentication {
  return {
    provider: evaluationUsers,
    user: { userName: 'user', password: 'userPass' },
    close: () => evaluationUsers.close(),
  };
}

async function openLdap(): Promise<OpenAuthentication> {
  const slapd = await Slapd.start();
  const settings = {
    urls: [slapd.tlsUrl],
    startTls: false,
    caCertificates: slapd.certificate.ca,
    connectTimeoutMs: 5_000,
    operationTimeoutMs: 5_000,
    userDnPattern: `uid={0},ou=people,${slapdBase}`,
    userSearch: { base: slapdBase, filter: '(uid={0})' },
    groupSearch: undefined,
    manager: undefined,
  };
  const provider = ldapProvider('ldap', settings, silentLog);
  return {
    provider,
    user: { userName: 'admin', password: 'admin-pass' },
    async close() {
      await provider.close();
      await slapd.stop();
    },
  };
}
