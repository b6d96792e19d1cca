import type { BackupPlace } from './backup-place.port.js';
import {
  backupOfManifest,
  DamagedManifest,
  type Manifest,
  manifestName,
  readManifest,
  timeOfBackup,
} from './manifest.js';

/** Lists the names of the complete backups, oldest first. */
export async function listBackups(place: BackupPlace): Promise<string[]> {
  const names: string[] = [];
  for await (const objects of place.list('backups')) {
    names.push(...objects.flatMap(({ name }) => backupOfManifest(name) ?? []));
  }
  return names.sort();
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
  const manifest = await readManifest(content);
  if (manifest.header.name === name) return manifest;
  throw new DamagedManifest(`the manifest is that of the backup ${manifest.header.name}, under another name`);
}

/**
 * Returns the name of the newest backup.
 * @throws Error when there is none, and when it is from the future: an earlier one may be newer
 */
export async function getNewestBackup(place: BackupPlace, nowMs: number): Promise<string> {
  const names = await listBackups(place);
  const newest = names.at(-1);
  if (newest === undefined) throw noBackup(place, undefined, names);
  if (timeOfBackup(newest) <= nowMs) return newest;
  throw new Error(
    `The backup ${newest} in ${place.name} is from the future: the clock of this machine is wrong, or that of the logbook was. Nothing was changed. Name the backup with --backup. There are: ${names.slice(-10).join(', ')}.`,
  );
}

function noBackup(place: BackupPlace, name: string | undefined, names: readonly string[]): Error {
  const which = name === undefined ? 'no complete backup' : `no backup ${name}`;
  const there = names.length === 0 ? '' : ` There are: ${names.slice(-10).join(', ')}.`;
  return new Error(`${place.name} has ${which}.${there} Check the name of the place.`);
}
