import type { BackupPlace } from './backup-place.port.js';
import { backupOfManifest, compareBackups, type Manifest, manifestName, readHeader, readManifest } from './manifest.js';

/** Lists the names of the complete backups, oldest first. */
export async function listBackups(place: BackupPlace): Promise<string[]> {
  const names: string[] = [];
  for await (const objects of place.list('backups')) {
    names.push(...objects.flatMap(({ name }) => backupOfManifest(name) ?? []));
  }
  return names.sort(compareBackups);
}

/**
 * Finds when the newest backup was taken, in milliseconds since the epoch, by the clock of then; undefined when there is none
 * whose manifest says so.
 */
export async function findNewestTime(place: BackupPlace): Promise<number | undefined> {
  return (await findNewestHeader(place))?.takenMs;
}

/** Finds to which logbook the newest backup belongs; undefined when there is none whose manifest says so. */
export async function findNewestOwner(place: BackupPlace): Promise<string | undefined> {
  return (await findNewestHeader(place))?.storeId;
}

async function findNewestHeader(place: BackupPlace): ReturnType<typeof readHeader> {
  const newest = (await listBackups(place)).at(-1);
  const content = newest === undefined ? undefined : await place.open('backups', manifestName(newest));
  return content && readHeader(content);
}

/**
 * Reads the manifest of a backup.
 * @param backup undefined: the newest one
 * @throws DamagedManifest; Error that says which backups there are when there is no such one
 */
export async function getManifest(place: BackupPlace, backup?: string): Promise<Manifest> {
  const names = await listBackups(place);
  const name = backup ?? names.at(-1);
  if (name === undefined || !names.includes(name)) throw noBackup(place, name, names);
  const content = await place.open('backups', manifestName(name));
  if (!content) throw noBackup(place, name, names);
  return readManifest(content);
}

function noBackup(place: BackupPlace, name: string | undefined, names: readonly string[]): Error {
  const which = name === undefined ? 'no complete backup' : `no backup ${name}`;
  const there = names.length === 0 ? '' : ` There are: ${names.slice(-10).join(', ')}.`;
  return new Error(`${place.name} has ${which}.${there} Check the name of the place.`);
}
