import type { KeyObject } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackupKeyOptions } from '../../engines/backup-options.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import type { Log } from '../../kernel/log.js';
import { replaceFile, stageFile } from '../../kernel/replace-file.js';
import {
  createSigningKeys,
  fingerprintOf,
  publicHalfOf,
  publicPemOf,
  readPrivateKey,
  readPublicKeys,
} from '../../kernel/signing-keys.js';
import { syncDirectory } from '../../kernel/sync-directory.js';

/**
 * Names of files in the data directory: the private key of this machine, and the public keys that are trusted for
 * backups of its logbook.
 */
export const backupKeyFile = 'backup-key.pem';
export const backupPublicKeyFile = 'backup-key.pub';

export interface BackupSigner {
  readonly privateKey: KeyObject;
  /** Public keys that are trusted for backups of this logbook, including that of this signer. */
  readonly keys: readonly KeyObject[];
  /** A newly created key, which is reported once; undefined when the key is an earlier one or the operator's. */
  readonly created: CreatedKey | undefined;
}

export interface CreatedKey {
  readonly fingerprint: string;
  readonly publicKeyFile: string;
}

/**
 * Opens the key that signs backups: the operator's, or else a key that is created in the data directory on first use.
 * The nodes of a cluster share one key in the database.
 * @throws Error that names the file when it cannot be read or created
 */
export async function openBackupSigner(
  storage: StorageOptions,
  options: BackupKeyOptions,
  log: Log,
): Promise<BackupSigner> {
  const { signingKeyFile } = options;
  const { privateKey, isNew } =
    signingKeyFile === undefined
      ? await openMachineKey(storage, log)
      : { privateKey: await readKeys(signingKeyFile, readPrivateKey), isNew: false };
  const publicKeyFile = await addPublicKeys(storage.dataDir, [privateKey]);
  const created = isNew ? { fingerprint: fingerprintOf(privateKey), publicKeyFile } : undefined;
  return {
    privateKey,
    keys: [publicHalfOf(privateKey), ...(await readBackupKeys(options, [storage.dataDir]))],
    created,
  };
}

async function openMachineKey(
  storage: StorageOptions,
  log: Log,
): Promise<{ readonly privateKey: KeyObject; readonly isNew: boolean }> {
  const create = () => createSigningKeys().privateKey;
  if (storage.kind === 'postgres') {
    const { shareBackupKey } = await import('../../engines/postgres/backup/backup-key.js');
    const { privateKey, isNew } = await shareBackupKey(storage.postgres, log, create);
    return { privateKey: readPrivateKey(privateKey), isNew };
  }
  const file = join(storage.dataDir, backupKeyFile);
  const found = await findText(file);
  const isNew = found === undefined && (await createFile(file, create()));
  return { privateKey: await readKeys(file, readPrivateKey), isNew };
}

export function logCreatedKey(log: Log, { fingerprint, publicKeyFile }: CreatedKey): void {
  const advice = 'Keep a copy of the public key where the backups are not: a restore on another machine needs it.';
  log.info({ fingerprint, publicKeyFile, advice }, 'created the key that signs backups');
}

/**
 * Reads the public keys that are trusted for backups: only those in the operator's `publicKeyFile`, or else that of the
 * operator's signing key and those recorded in these data directories. The list may be empty.
 * @throws Error that names the file when one cannot be read
 */
export async function readBackupKeys(
  { signingKeyFile, publicKeyFile }: BackupKeyOptions,
  dataDirs: readonly string[],
): Promise<KeyObject[]> {
  if (publicKeyFile !== undefined) return readKeys(publicKeyFile, readPublicKeys);
  const keys = signingKeyFile === undefined ? [] : [publicHalfOf(await readKeys(signingKeyFile, readPrivateKey))];
  for (const dir of new Set(dataDirs)) {
    const file = join(dir, backupPublicKeyFile);
    if ((await findText(file)) !== undefined) keys.push(...(await readKeys(file, readPublicKeys)));
  }
  return keys;
}

/**
 * Records in a data directory that backups signed by these keys are trusted as well. Returns the file.
 * @param keys private or public keys
 */
export async function addPublicKeys(dataDir: string, keys: readonly KeyObject[]): Promise<string> {
  const file = join(dataDir, backupPublicKeyFile);
  const before = (await findText(file)) ?? '';
  const missing = [...new Set(keys.map(publicPemOf))].filter((pem) => !before.includes(pem.trim()));
  if (missing.length === 0) return file;
  await replaceFile(file, [...missing, before].join(''));
  return file;
}

/**
 * Creates a file durably and atomically.
 * @returns false when another process has already created it, which a file system without hard links does not detect
 */
async function createFile(file: string, content: string): Promise<boolean> {
  return createOnce(file, content).catch((error: NodeJS.ErrnoException) => {
    // Another process may have just opened the directory and removed the staged file as a leftover.
    if (error.code !== 'ENOENT') throw error;
    return createOnce(file, content);
  });
}

async function createOnce(file: string, content: string): Promise<boolean> {
  const staged = await stageFile(file, content);
  try {
    await link(staged, file);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Some file systems do not support hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    await rename(staged, file);
    return true;
  } finally {
    await rm(staged, { force: true });
    await syncDirectory(dirname(file));
  }
}

async function findText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readKeys<T>(file: string, read: (pem: string) => T): Promise<T> {
  const text = await readFile(file, 'utf8');
  try {
    return read(text);
  } catch (error) {
    throw new Error(
      `${file}: ${(error as Error).message}. Put the right file there, or move a damaged ${backupKeyFile} away: the next backup creates a new one.`,
    );
  }
}
