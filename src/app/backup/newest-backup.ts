import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareBackups } from '../../backup/manifest.js';
import type { BackupHeader } from '../../backup/manifest-line.js';
import type { BackupTargetOptions } from '../../engines/backup-options.js';
import { replaceFile } from '../../kernel/replace-file.js';
import { describeTarget } from './open-backup-target.js';

export const noteFile = 'backup-newest.json';

interface NotedBackup {
  readonly name: string;
  readonly takenMs: number;
  /** Target as written by an operator. */
  readonly target: string;
}

/** Records durably which backup is the newest, so that its removal from the target can be detected. */
export async function noteNewestBackup(
  dataDir: string,
  target: BackupTargetOptions,
  { name, takenMs }: Pick<NotedBackup, 'name' | 'takenMs'>,
): Promise<void> {
  const noted: NotedBackup = { name, takenMs, target: describeTarget(target) };
  await replaceFile(join(dataDir, noteFile), JSON.stringify(noted));
}

/**
 * Returns a sentence if the newest backup of a data directory is missing from the target. Undefined if the target
 * contains it or a newer one, or if the last backup was made to another target. Names determine which backup is newer,
 * because the nodes of a cluster have different clocks.
 * @param newest the newest backup in the target with a valid signature; undefined when there is none
 * @param reported names of backups whose problems the caller reports
 */
export async function describeLostBackup(
  dataDir: string,
  target: BackupTargetOptions,
  newest: Pick<BackupHeader, 'name' | 'takenMs'> | undefined,
  reported: readonly string[] = [],
): Promise<string | undefined> {
  const noted = await findNote(dataDir);
  if (!noted || noted.target !== describeTarget(target)) return undefined;
  if (reported.includes(noted.name) || (newest !== undefined && compareBackups(newest.name, noted.name) >= 0))
    return undefined;
  const made = new Date(noted.takenMs).toISOString();
  const state = newest ? `the newest backup there is from ${new Date(newest.takenMs).toISOString()}` : 'none is there';
  return `the backup ${noted.name}, made at ${made}, is missing in ${noted.target}, or its signature is wrong: ${state}`;
}

export const lostBackupAdvice =
  'Find out who removed it, or whether another disk is mounted there. The next backup clears this warning.';

/** Returns undefined when there is no note, or it is damaged. */
async function findNote(dataDir: string): Promise<NotedBackup | undefined> {
  try {
    const { name, takenMs, target } = JSON.parse(await readFile(join(dataDir, noteFile), 'utf8')) as NotedBackup;
    return Number.isFinite(takenMs) ? { name: String(name), takenMs, target } : undefined;
  } catch {
    return undefined;
  }
}
