import type { KeyObject } from 'node:crypto';
import type { BackupPlace } from './backup-place.port.js';
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
export async function listBackups(place: BackupPlace): Promise<string[]> {
  const names: string[] = [];
  for await (const objects of place.list('backups')) {
    names.push(...objects.flatMap(({ name }) => backupOfManifest(name) ?? []));
  }
  return names.sort(compareBackups);
}

/** Finds the newest backup with a right signature; undefined when there is none. Others may have any name and time. */
export async function findNewestSigned(
  place: BackupPlace,
  keys: readonly KeyObject[],
): Promise<BackupHeader | undefined> {
  for (const name of (await listBackups(place)).reverse()) {
    const found = await findManifest(place, keys, name);
    if (found?.authenticity.kind === 'signed') return found.header;
  }
  return undefined;
}

/**
 * Finds to which logbook the backups belong: that of the newest one with a right signature, or else of the newest one that
 * can be read; undefined when there is none.
 */
export async function findOwner(place: BackupPlace, keys: readonly KeyObject[]): Promise<string | undefined> {
  const signed = await findNewestSigned(place, keys);
  if (signed) return signed.storeId;
  for (const name of (await listBackups(place)).reverse()) {
    const found = await findManifest(place, keys, name);
    if (found) return found.header.storeId;
  }
  return undefined;
}

/** Reads the manifest of a backup; undefined when it is damaged. */
export async function findManifest(
  place: BackupPlace,
  keys: readonly KeyObject[],
  name: string,
): Promise<ReadManifest | undefined> {
  try {
    return await getManifest(place, keys, name);
  } catch (error) {
    if (error instanceof DamagedManifest) return undefined;
    throw error;
  }
}

/**
 * Reads the manifest of a backup.
 * @param keys the public keys that are trusted
 * @param backup undefined: the newest one
 * @throws DamagedManifest; Error that says which backups there are when there is no such one
 */
export async function getManifest(
  place: BackupPlace,
  keys: readonly KeyObject[],
  backup?: string,
): Promise<ReadManifest> {
  const names = await listBackups(place);
  const name = backup ?? names.at(-1);
  if (name === undefined || !names.includes(name)) throw noBackup(place, name, names);
  const content = await place.open('backups', manifestName(name));
  if (!content) throw noBackup(place, name, names);
  return readManifest(content, name, keys);
}

function noBackup(place: BackupPlace, name: string | undefined, names: readonly string[]): Error {
  const which = name === undefined ? 'no complete backup' : `no backup ${name}`;
  const there = names.length === 0 ? '' : ` There are: ${names.slice(-10).join(', ')}.`;
  return new Error(`${place.name} has ${which}.${there} Check the name of the place.`);
}
