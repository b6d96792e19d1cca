import { findManifest, getManifest, listBackups } from './backup-list.js';
import type { BackupTarget } from './backup-target.port.js';
import { type BackupTrust, isTrusted } from './backup-trust.js';
import { readJournals, writeJournal } from './journal.js';
import { compareBackups, manifestName } from './manifest.js';
import type { BackupFile, BackupHeader } from './manifest-line.js';
import type { Retention } from './retention-options.js';

const dayMs = 86_400_000;

/** The day, the week (from Monday) and the month of a time, in UTC, as numbers. */
const periods: Readonly<Record<'daily' | 'weekly' | 'monthly', (ms: number) => number>> = {
  daily: (ms) => Math.floor(ms / dayMs),
  weekly: (ms) => Math.floor((ms / dayMs + 3) / 7),
  monthly: (ms) => new Date(ms).getUTCFullYear() * 12 + new Date(ms).getUTCMonth(),
};

/**
 * Selects the backups that the retention no longer keeps. @param backups oldest first; the newest one is always kept
 */
export function selectExpired<T extends { readonly takenMs: number }>(
  backups: readonly T[],
  retention: Retention,
): T[] {
  const newestFirst = backups.toReversed();
  const kept = new Set(newestFirst.slice(0, Math.max(1, retention.newest)));
  for (const period of ['daily', 'weekly', 'monthly'] as const) {
    const seen = new Set<number>();
    for (const backup of newestFirst) {
      const number = periods[period](backup.takenMs);
      if (seen.has(number)) continue;
      if (seen.size === retention[period]) break;
      seen.add(number);
      kept.add(backup);
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup));
}

export interface RemovedBackups {
  readonly backups: readonly string[];
  /** Number of removed pieces and files. */
  readonly objects: number;
  /** Total size of the removed objects, without the remains of interrupted backups. */
  readonly bytes: number;
  /** Names of the kept backups without a valid signature. */
  readonly untrusted: readonly string[];
  /** Name of a backup with a damaged manifest, because of which nothing was removed. */
  readonly damaged?: string;
}

export interface Removal {
  /** Undefined: all backups are kept. */
  readonly keep: Retention | undefined;
  readonly trust: BackupTrust;
  readonly signal: AbortSignal;
  /** Called before anything is removed, with the names of the remaining backups; throws to prevent the removal. */
  readonly check?: (kept: KeptBackups) => Promise<void>;
}

export interface KeptBackups {
  readonly trusted: readonly string[];
  readonly untrusted: readonly string[];
}

/**
 * Removes backups that the retention no longer keeps, and the remains of interrupted backups. An object of the pool is
 * removed only if the manifest of such a backup, or a journal, names it, and no remaining manifest does. Nothing is
 * removed while any manifest is damaged or of a newer version.
 * @throws the reason of `signal`; the error of `check`
 */
export async function removeExpired(
  target: BackupTarget,
  { keep, trust, signal, check }: Removal,
): Promise<RemovedBackups> {
  const [trusted, untrusted]: [BackupHeader[], BackupHeader[]] = [[], []];
  for (const name of await listBackups(target)) {
    const manifest = await findManifest(target, trust.keys, name);
    if (!manifest) return { backups: [], objects: 0, bytes: 0, untrusted: [], damaged: name };
    (isTrusted(manifest, trust) ? trusted : untrusted).push(manifest.header);
  }
  const expired = selectNames(trusted, untrusted, keep);
  const isKept = ({ name }: BackupHeader) => !expired.has(name);
  const kept = { trusted: namesOf(trusted.filter(isKept)), untrusted: namesOf(untrusted.filter(isKept)) };
  await check?.(kept);
  const left = await readJournals(target);
  const leftOver = new Set(left.named);
  const named = new Map<string, number>();
  for (const name of expired) {
    const { pieces, files } = await getManifest(target, trust.keys, name);
    for (const { checksum, size } of [...pieces, ...stored(files)]) {
      named.set(checksum, size);
      leftOver.delete(checksum);
    }
  }
  for (const name of [...kept.trusted, ...kept.untrusted]) {
    const { pieces, files } = await getManifest(target, trust.keys, name);
    for (const { checksum } of [...pieces, ...files]) {
      named.delete(checksum);
      leftOver.delete(checksum);
    }
  }
  const backups = [...expired].sort();
  await removeObjects(target, [...leftOver], signal);
  if (backups.length > 0) await removeBackups(target, backups, [...named.keys()], signal);
  for (const name of left.journals) await target.remove('unfinished', name);
  const bytes = [...named.values()].reduce((sum, size) => sum + size, 0);
  return { backups, objects: leftOver.size + named.size, bytes, untrusted: kept.untrusted };
}

const namesOf = (headers: readonly BackupHeader[]): string[] => headers.map(({ name }) => name);
const stored = (files: readonly BackupFile[]) => files.filter(({ state }) => state === undefined);

/**
 * Selects the names of the expired backups. A trusted backup only expires because of other trusted backups. Otherwise,
 * anyone who can add files to the target could make the service remove its own backups.
 */
function selectNames(
  trusted: readonly BackupHeader[],
  untrusted: readonly BackupHeader[],
  keep: Retention | undefined,
): Set<string> {
  if (!keep) return new Set();
  const names = namesOf(selectExpired(trusted, keep));
  for (const one of untrusted) {
    const all = [...trusted, one].sort((first, second) => compareBackups(first.name, second.name));
    if (trusted.length > 0 && selectExpired(all, keep).includes(one)) names.push(one.name);
  }
  return new Set(names);
}

const removalJournal = 'removal.journal';

/**
 * Removes backups, the manifests first, so that every listed backup is complete. After an interruption, the journal
 * names the remaining objects.
 */
async function removeBackups(
  target: BackupTarget,
  backups: readonly string[],
  unclaimed: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const remaining = [...backups];
  while (!(await tryWriteJournal(target, unclaimed)) && remaining.length > 0) {
    // The disk is full. Removing the manifest frees more space than its part of the journal needs.
    await target.remove('backups', manifestName(remaining.shift() ?? ''));
  }
  for (const name of remaining) await target.remove('backups', manifestName(name));
  await target.flush();
  await removeObjects(target, unclaimed, signal);
  await target.remove('unfinished', removalJournal);
}

/** Writes the journal; returns false when there is no space for it. */
async function tryWriteJournal(target: BackupTarget, unclaimed: readonly string[]): Promise<boolean> {
  try {
    await writeJournal(target, removalJournal, unclaimed);
    return true;
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

async function removeObjects(target: BackupTarget, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (const name of names) {
    signal.throwIfAborted();
    await target.remove('pool', name);
  }
  await target.flush();
}
