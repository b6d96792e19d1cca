import { getManifest } from './backup-list.js';
import type { BackupTarget } from './backup-target.port.js';
import type { BackupTrust } from './backup-trust.js';
import type { Manifest } from './manifest.js';
import { type KeptBackups, type RemovedBackups, removeExpired } from './retention.js';
import type { Retention } from './retention-options.js';

export interface PrunedBackups extends RemovedBackups {
  /** Number of remaining backups. */
  readonly kept: number;
}

/**
 * Removes the backups that the retention no longer keeps.
 * @throws Error when no complete trusted backup would remain, or a manifest is damaged; nothing was removed
 */
export async function pruneBackups(
  target: BackupTarget,
  keep: Retention,
  trust: BackupTrust,
  signal: AbortSignal,
): Promise<PrunedBackups> {
  let kept = 0;
  const check = async (left: KeptBackups) => {
    kept = left.trusted.length + left.untrusted.length;
    await requireComplete(target, left, trust);
  };
  const removed = await removeExpired(target, { keep, trust, signal, check });
  if (removed.damaged === undefined) return { ...removed, kept };
  throw new Error(
    `The manifest of the backup ${removed.damaged} in ${target.name} is damaged, so its objects are unknown. Nothing was removed. Move ${target.describe('backups', `${removed.damaged}.manifest`)} away if other backups are enough, and try again.`,
  );
}

/** Checks that a complete trusted backup remains, so that damaged newer backups do not displace the last usable one. */
async function requireComplete(
  target: BackupTarget,
  { trusted, untrusted }: KeptBackups,
  { keys }: BackupTrust,
): Promise<void> {
  const pool = new Map<string, number | undefined>();
  for await (const objects of target.list('pool')) for (const { name, bytes } of objects) pool.set(name, bytes);
  for await (const objects of target.list('damaged')) for (const { name } of objects) pool.delete(name);
  const isStored = ({ checksum, size }: { readonly checksum: string; readonly size: number }) =>
    pool.has(checksum) && (pool.get(checksum) ?? size) === size;
  const isComplete = ({ pieces, files }: Manifest) =>
    pieces.every(isStored) && files.every((file) => file.state !== undefined || isStored(file));
  for (const name of trusted.toReversed()) if (isComplete(await getManifest(target, keys, name))) return;
  throw new Error(`${describeLack(target, trusted, untrusted)} Nothing was removed.`);
}

function describeLack({ name }: BackupTarget, trusted: readonly string[], untrusted: readonly string[]): string {
  if (trusted.length > 0)
    return `Of the backups that would be left in ${name} (${trusted.slice(-10).join(', ')}), none is complete: objects are missing or damaged. Run “verify ${name}” to see which, and remove by hand what you can do without.`;
  if (untrusted.length === 0) return `${name} has no backup.`;
  return `None of the ${untrusted.length} backups in ${name} has a valid signature; earlier versions made backups without one. Make a backup first; if there is no space for it, --accept-unsigned counts unsigned backups like others.`;
}
