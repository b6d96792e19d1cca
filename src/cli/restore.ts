import { readBackupKeys } from '../app/backup/backup-keys.js';
import { restoreLogbook } from '../app/backup/restore-logbook.js';
import { keepOwner } from '../app/keep-owner.js';
import { describeFinding } from '../backup/data-finding.js';
import { DamagedBackup, defaultIdGap } from '../backup/restore-backup.js';
import type { LoadedConfig } from '../config/load-config.js';
import { commandFor } from '../kernel/command-hint.js';
import { counted } from '../kernel/text.js';
import { directoriesOf, requireTarget } from './backup-target.js';
import { commandLog } from './command-log.js';
import { progressReport } from './progress-report.js';
import { printStatus } from './status-line.js';
import { UsageError } from './usage-error.js';

export interface RestoreFlags {
  readonly backup?: string;
  readonly acceptDamage?: boolean;
  readonly acceptUnsigned?: boolean;
  readonly withCredentials?: boolean;
  readonly startOver?: boolean;
  readonly idGap?: string;
}

/** Restores a backup into the configured storage, which must be empty, and prints the next steps. */
export async function restore(
  { options, logLevel }: LoadedConfig,
  flags: RestoreFlags,
  ownDataDir: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  const { storage, backup } = options;
  const { acceptUnsigned = false, withCredentials = false } = flags;
  if (acceptUnsigned && withCredentials) {
    throw new Error(
      '--with-credentials together with --accept-unsigned would let the maker of the backup sign in. Use only one of these options.',
    );
  }
  const keys = await readBackupKeys(backup.keys, [storage.dataDir, ownDataDir ?? storage.dataDir]);
  const report = progressReport('files restored');
  const reportPieces = progressReport('pieces of documents restored');
  try {
    const source = requireTarget(backup.target);
    const restored = await keepOwner(directoriesOf(storage, source), () =>
      restoreLogbook({
        storage,
        source,
        backup: flags.backup,
        trust: { keys, acceptUnsigned },
        withCredentials,
        acceptDamage: flags.acceptDamage ?? false,
        mode: flags.startOver === true ? 'start-over' : 'new',
        idGap: toIdGap(flags.idGap),
        nowMs: Date.now,
        log: commandLog(logLevel),
        signal: stop,
        onProgress: (done, all, what) => (what === 'files' ? report : reportPieces)(done, all),
      }),
    );
    const { findings } = restored;
    for (const finding of findings) printStatus(describeFinding(finding));
    printRestored(restored, storage.dataDir);
    if (findings.some(({ kind }) => kind === 'problem')) process.exitCode = 1;
  } catch (error) {
    if (error instanceof DamagedBackup) for (const finding of error.findings) printStatus(describeFinding(finding));
    throw error;
  }
}

/** Prints what was restored, and the next steps. */
function printRestored(
  { manifest, highestEntryId, redactions, omitted }: Awaited<ReturnType<typeof restoreLogbook>>,
  dataDir: string,
): void {
  const { name, storeId, takenMs } = manifest.header;
  console.log(`The logbook ${storeId} was restored as it was at ${new Date(takenMs).toISOString()} (backup ${name}).`);
  if (redactions > 0) {
    const what = counted(redactions, 'redaction');
    console.log(
      `${what} from after this backup, which newer backups list, ${redactions === 1 ? 'was' : 'were'} applied.`,
    );
  }
  if (omitted > 0) {
    console.log(
      `${counted(omitted, 'API token')} of the backup ${omitted === 1 ? 'was' : 'were'} left out: users create new ones.`,
    );
  }
  console.log(
    `New entries get ids above ${highestEntryId}. Users sign in again; the search index is built at the start.`,
  );
  console.log(`Check it with: ${commandFor('verify', dataDir)}`);
  console.log(`Start the service now with its configuration and this data directory: ${dataDir}`);
}

function toIdGap(text: string | undefined): number {
  if (text === undefined) return defaultIdGap;
  if (!/^\d{1,7}$/.test(text)) throw new UsageError(`--id-gap ${text}: it must be a whole number from 0 to 9999999.`);
  return Number(text);
}
