import { readBackupKeys } from '../app/backup/backup-keys.js';
import { describeTarget } from '../app/backup/open-backup-target.js';
import { pruneTarget } from '../app/backup/prune-target.js';
import { keepOwner } from '../app/keep-owner.js';
import type { LoadedConfig } from '../config/load-config.js';
import { inBytes } from '../kernel/limit.js';
import { counted } from '../kernel/text.js';
import { directoriesOf, requireTarget } from './backup-target.js';
import { commandLog } from './command-log.js';

/** Removes the backups that the settings do not keep, and lists them. */
export async function pruneBackups(
  { options, logLevel }: LoadedConfig,
  acceptUnsigned: boolean,
  signal: AbortSignal,
): Promise<void> {
  const target = requireTarget(options.backup.target);
  const {
    storage,
    backup: { retention, keys },
  } = options;
  const { dataDir } = storage;
  const trust = { keys: await readBackupKeys(keys, [dataDir]), acceptUnsigned };
  const request = { target, retention, trust, dataDir, signal, log: commandLog(logLevel) };
  const { backups, objects, bytes, kept, untrusted } = await keepOwner(directoriesOf(storage, target), () =>
    pruneTarget(request),
  );
  for (const name of backups) console.log(`The backup ${name} was removed: newer ones cover it.`);
  console.log(
    `${counted(kept, 'backup')} ${kept === 1 ? 'is' : 'are'} left in ${describeTarget(target)}; ${counted(objects, 'object')} (${inBytes(bytes)}) that no remaining backup uses ${objects === 1 ? 'was' : 'were'} removed.`,
  );
  if (untrusted.length === 0) return;
  console.log(
    `${counted(untrusted.length, 'backup')} without a valid signature, such as ${untrusted[0]}, ${untrusted.length === 1 ? 'is' : 'are'} kept until newer signed backups replace them; --accept-unsigned counts them like others.`,
  );
}
