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

/** Selects the backups that are no longer kept. @param backups in any order; the newest one is always kept */
export function selectExpired<T extends { readonly takenMs: number }>(
  backups: readonly T[],
  retention: Retention,
): T[] {
  const newestFirst = [...backups].sort((one, other) => other.takenMs - one.takenMs);
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
}

/**
 * Removes backups that are no longer kept, and what interrupted backups have left. An object of the pool is removed only
 * when the manifest of such a backup, or the journal of an interrupted one, names it and the manifest of no other backup
 * does. Nothing is removed while any manifest is damaged or of a newer version.
 * @param keep undefined: all backups are kept
 * @throws the reason of `signal`
 */
export async function removeExpired(
  place: BackupPlace,
  keep: Retention | undefined,
  signal: AbortSignal,
): Promise<RemovedBackups> {
  const manifests: Manifest[] = [];
  for (const name of await listBackups(place)) {
    try {
      manifests.push(await getManifest(place, name));
    } catch (error) {
      if (error instanceof DamagedManifest) return { backups: [], objects: 0 };
      throw error;
    }
  }
  const headers = manifests.map(({ header }) => header);
  const expired = new Set(keep ? selectExpired(headers, keep).map(({ name }) => name) : []);
  const claimed = new Set<string>();
  const named = new Set<string>();
  for (const manifest of manifests) {
    const objects = expired.has(manifest.header.name) ? named : claimed;
    for (const { checksum } of [...manifest.pieces, ...manifest.files]) objects.add(checksum);
  }
  const left = await readJournals(place);
  const unclaimed = [...named, ...left.named].filter((name) => !claimed.has(name));
  if (expired.size > 0 || left.journals.length > 0) {
    await remove(place, { backups: [...expired], unclaimed, journals: left.journals, signal });
  }
  return { backups: [...expired].sort(), objects: new Set(unclaimed).size };
}

interface Removal {
  readonly backups: readonly string[];
  readonly unclaimed: readonly string[];
  readonly journals: readonly string[];
  readonly signal: AbortSignal;
}

/** The manifests first: a backup that is still listed is whole. After an interruption, the journal names what is left. */
async function remove(place: BackupPlace, { backups, unclaimed, journals, signal }: Removal): Promise<void> {
  const journal = 'removal.journal';
  await writeJournal(place, journal, unclaimed);
  for (const name of backups) await place.remove('backups', manifestName(name));
  await place.flush();
  for (const name of unclaimed) {
    signal.throwIfAborted();
    await place.remove('pool', name);
  }
  await place.flush();
  for (const name of new Set([...journals, journal])) await place.remove('unfinished', name);
}
