import type { KeyObject } from 'node:crypto';
import type { BackupTarget } from './backup-target.port.js';
import {
  backupOfManifest,
  compareBackups,
  DamagedManifest,
  manifestName,
  type ReadManifest,
  readManifest,
} from './manifest.js';
import type { BackupHeader } from './manifest-line.js';

/** Lists the names of the complete backups, oldest first. */
export async function listBackups(target: BackupTarget): Promise<string[]> {
  const names: string[] = [];
  for await (const objects of target.list('backups')) {
    names.push(...objects.flatMap(({ name }) => backupOfManifest(name) ?? []));
  }
  return names.sort(compareBackups);
}

/**
 * Finds the newest backup with a valid signature; undefined when there is none. An unsigned backup could claim any
 * time.
 */
export async function findNewestSigned(
  target: BackupTarget,
  keys: readonly KeyObject[],
): Promise<BackupHeader | undefined> {
  for (const name of (await listBackups(target)).reverse()) {
    const found = await findManifest(target, keys, name);
    if (found?.authenticity.kind === 'signed') return found.header;
  }
  return undefined;
}

/**
 * Finds the id of the logbook to which the backups belong, in the newest backup with a valid signature, else in the
 * newest readable one; undefined when there is none.
 */
export async function findOwner(target: BackupTarget, keys: readonly KeyObject[]): Promise<string | undefined> {
  const signed = await findNewestSigned(target, keys);
  if (signed) return signed.storeId;
  for (const name of (await listBackups(target)).reverse()) {
    const found = await findManifest(target, keys, name);
    if (found) return found.header.storeId;
  }
  return undefined;
}

/** Reads the manifest of a backup; undefined when it is damaged. */
export async function findManifest(
  target: BackupTarget,
  keys: readonly KeyObject[],
  name: string,
): Promise<ReadManifest | undefined> {
  try {
    return await getManifest(target, keys, name);
  } catch (error) {
    if (error instanceof DamagedManifest) return undefined;
    throw error;
  }
}

/**
 * Reads the manifest of a backup.
 * @param keys the public keys that are trusted
 * @param backup undefined: the newest one
 * @throws DamagedManifest; Error that lists the existing backups when this one does not exist
 */
export async function getManifest(
  target: BackupTarget,
  keys: readonly KeyObject[],
  backup?: string,
): Promise<ReadManifest> {
  const names = await listBackups(target);
  const name = backup ?? names.at(-1);
  if (name === undefined || !names.includes(name)) throw noBackup(target, name, names);
  const content = await target.open('backups', manifestName(name));
  if (!content) throw noBackup(target, name, names);
  return readManifest(content, name, keys);
}

function noBackup(target: BackupTarget, name: string | undefined, names: readonly string[]): Error {
  const which = name === undefined ? 'no complete backup' : `no backup ${name}`;
  const there = names.length === 0 ? '' : ` Existing backups: ${names.slice(-10).join(', ')}.`;
  return new Error(`${target.name} has ${which}.${there} Check the name of the target.`);
}
