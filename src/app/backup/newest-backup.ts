import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupTargetOptions } from '../../engines/backup-options.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { describeTarget } from './open-backup-target.js';

/** Name of the file that records the newest backup of this data directory. */
export const noteFile = 'backup-newest.json';

interface NotedBackup {
  readonly name: string;
  readonly takenMs: number;
  /** Target as an operator writes it. */
  readonly target: string;
}

/** Records durably which backup is the newest, so that its removal from the target is noticed. */
export async function noteNewestBackup(
  dataDir: string,
  target: BackupTargetOptions,
  { name, takenMs }: Pick<NotedBackup, 'name' | 'takenMs'>,
): Promise<void> {
  const file = join(dataDir, noteFile);
  const staged = `${file}.${randomUUID()}.new`;
  try {
    const handle = await open(staged, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify({ name, takenMs, target: describeTarget(target) } satisfies NotedBackup));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(staged, file);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
  await syncDirectory(dataDir);
}

/**
 * Returns a sentence if the newest backup of a data directory is missing from the target; undefined if the target has
 * it or a newer one, or if the last backup was made to another target.
 * @param newestMs the time of the newest backup in the target with a valid signature; undefined: there is none
 * @param reported names of backups whose problems the caller reports
 */
export async function describeLostBackup(
  dataDir: string,
  target: BackupTargetOptions,
  newestMs: number | undefined,
  reported: readonly string[] = [],
): Promise<string | undefined> {
  const noted = await findNote(dataDir);
  if (!noted || noted.target !== describeTarget(target)) return undefined;
  if (reported.includes(noted.name) || (newestMs !== undefined && newestMs >= noted.takenMs)) return undefined;
  const made = new Date(noted.takenMs).toISOString();
  const state = newestMs === undefined ? 'none is there' : `the newest there is of ${new Date(newestMs).toISOString()}`;
  return `the backup ${noted.name}, made at ${made}, is missing in ${noted.target}, or its signature is wrong: ${state}`;
}

export const lostBackupAdvice =
  'Find out who removed it, or whether another disk is mounted there. The next backup ends this.';

/** Undefined when there is none, or it is damaged. */
async function findNote(dataDir: string): Promise<NotedBackup | undefined> {
  try {
    const { name, takenMs, target } = JSON.parse(await readFile(join(dataDir, noteFile), 'utf8')) as NotedBackup;
    return Number.isFinite(takenMs) ? { name: String(name), takenMs, target } : undefined;
  } catch {
    return undefined;
  }
}
