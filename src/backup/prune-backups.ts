import type { BackupPlace } from './backup-place.port.js';
import type { Manifest } from './manifest.js';
import { type RemovedBackups, removeExpired } from './retention.js';
import type { Retention } from './retention-options.js';

export interface PrunedBackups extends RemovedBackups {
  /** How many backups are left. */
  readonly kept: number;
}

/**
 * Removes backups that are no longer kept, without making one.
 * @throws Error when no backup that would be left is complete, or a manifest is damaged: nothing was removed
 */
export async function pruneBackups(place: BackupPlace, keep: Retention, signal: AbortSignal): Promise<PrunedBackups> {
  let kept: readonly Manifest[] = [];
  const check = async (left: readonly Manifest[]) => {
    kept = left;
    await requireComplete(place, left);
  };
  const removed = await removeExpired(place, { keep, signal, check });
  if (removed.damaged === undefined) return { ...removed, kept: kept.length };
  throw new Error(
    `The manifest of the backup ${removed.damaged} in ${place.name} is damaged, so that nothing says which objects are its own. Nothing was removed. Move ${place.describe('backups', `${removed.damaged}.manifest`)} away if other backups are enough, and try again.`,
  );
}

/** The last backup that can be restored must not be removed because of newer ones that cannot. */
async function requireComplete(place: BackupPlace, kept: readonly Manifest[]): Promise<void> {
  const pool = new Map<string, number | undefined>();
  for await (const objects of place.list('pool')) for (const { name, bytes } of objects) pool.set(name, bytes);
  for await (const objects of place.list('damaged')) for (const { name } of objects) pool.delete(name);
  const isStored = ({ checksum, size }: { readonly checksum: string; readonly size: number }) =>
    pool.has(checksum) && (pool.get(checksum) ?? size) === size;
  const isComplete = ({ pieces, files }: Manifest) =>
    pieces.every(isStored) && files.every((file) => file.state !== undefined || isStored(file));
  if (kept.some(isComplete)) return;
  const names = kept.map(({ header }) => header.name);
  throw new Error(
    names.length === 0
      ? `${place.name} has no backup. Nothing was removed.`
      : `Of the backups that would be left in ${place.name} (${names.slice(-10).join(', ')}), none is complete: objects are missing or damaged. Nothing was removed. Run “verify ${place.name}” to see which, and remove by hand what you can do without.`,
  );
}
