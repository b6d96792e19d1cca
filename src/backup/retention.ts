import { getManifest, listBackups } from './backup-list.js';
import type { BackupPlace } from './backup-place.port.js';
import { readJournals, writeJournal } from './journal.js';
import { DamagedManifest, type Manifest, manifestName } from './manifest.js';
import type { Retention } from './retention-options.js';

const dayMs = 86_400_000;

/** The day, the week (from Monday) and the month of a time, in UTC, as numbers. */
const periods: Readonly<Record<'daily' | 'weekly' | 'monthly', (ms: number) => number>> = {
  daily: (ms) => Math.floor(ms / dayMs),
  weekly: (ms) => Math.floor((ms / dayMs + 3) / 7),
  monthly: (ms) => new Date(ms).getUTCFullYear() * 12 + new Date(ms).getUTCMonth(),
};

/** Selects the backups that are no longer kept. @param backups oldest first; the newest one is always kept */
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
  /** How many pieces and files that no other backup has. */
  readonly objects: number;
  /** Of these, without what interrupted backups had left. */
  readonly bytes: number;
  /** The backup whose manifest is damaged, so that nothing was removed. */
  readonly damaged?: string;
}

export interface Removal {
  /** Undefined: all backups are kept. */
  readonly keep: Retention | undefined;
  readonly signal: AbortSignal;
  /** Called before anything is removed, and throws when it must not be. */
  readonly check?: (kept: readonly Manifest[]) => Promise<void>;
}

/**
 * Removes backups that are no longer kept, and what interrupted backups have left. An object of the pool is removed only
 * when the manifest of such a backup, or the journal of an interrupted one, names it and the manifest of no other backup
 * does. Nothing is removed while any manifest is damaged or of a newer version.
 * @throws the reason of `signal`; what `check` throws
 */
export async function removeExpired(place: BackupPlace, { keep, signal, check }: Removal): Promise<RemovedBackups> {
  const manifests: Manifest[] = [];
  for (const name of await listBackups(place)) {
    try {
      manifests.push(await getManifest(place, name));
    } catch (error) {
      if (error instanceof DamagedManifest) return { backups: [], objects: 0, bytes: 0, damaged: name };
      throw error;
    }
  }
  const headers = manifests.map(({ header }) => header);
  const expired = new Set(keep ? selectExpired(headers, keep).map(({ name }) => name) : []);
  await check?.(manifests.filter(({ header }) => !expired.has(header.name)));
  const claimed = new Set<string>();
  const named = new Map<string, number>();
  for (const manifest of manifests) {
    const isExpired = expired.has(manifest.header.name);
    for (const { checksum, size } of [...manifest.pieces, ...manifest.files]) {
      if (isExpired) named.set(checksum, size);
      else claimed.add(checksum);
    }
  }
  const left = await readJournals(place);
  const leftOver = [...left.named].filter((name) => !claimed.has(name) && !named.has(name));
  for (const name of claimed) named.delete(name);
  const unclaimed = [...named.keys()];
  await removeObjects(place, leftOver, signal);
  if (expired.size > 0) await removeBackups(place, [...expired].sort(), unclaimed, signal);
  for (const name of left.journals) await place.remove('unfinished', name);
  const bytes = [...named.values()].reduce((sum, size) => sum + size, 0);
  return { backups: [...expired].sort(), objects: leftOver.length + unclaimed.length, bytes };
}

const removalJournal = 'removal.journal';

/** The manifests first: a backup that is still listed is whole. After an interruption, the journal names what is left. */
async function removeBackups(
  place: BackupPlace,
  backups: readonly string[],
  unclaimed: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const remaining = [...backups];
  while (!(await isJournalWritten(place, unclaimed)) && remaining.length > 0) {
    // The disk is full. A manifest is larger than its part of the journal: what it had needs no more space now.
    await place.remove('backups', manifestName(remaining.shift() ?? ''));
  }
  for (const name of remaining) await place.remove('backups', manifestName(name));
  await place.flush();
  await removeObjects(place, unclaimed, signal);
  await place.remove('unfinished', removalJournal);
}

/** False when there is no space for it. */
async function isJournalWritten(place: BackupPlace, unclaimed: readonly string[]): Promise<boolean> {
  try {
    await writeJournal(place, removalJournal, unclaimed);
    return true;
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

async function removeObjects(place: BackupPlace, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (const name of names) {
    signal.throwIfAborted();
    await place.remove('pool', name);
  }
  await place.flush();
}
