import { readBackupKeys } from '../app/backup/backup-keys.js';
import { describeTarget } from '../app/backup/open-backup-target.js';
import { type VerifyRun, verifyBackupTarget, verifyLogbook } from '../app/backup/verify-logbook.js';
import { keepOwner } from '../app/keep-owner.js';
import { type DataFinding, describeFinding } from '../backup/data-finding.js';
import type { LoadedConfig } from '../config/load-config.js';
import { inBytes } from '../kernel/limit.js';
import { counted } from '../kernel/text.js';
import { directoriesOf, requireTarget } from './backup-target.js';
import { commandLog } from './command-log.js';
import { readPublicKeys, readSignedHead } from './ledger.js';
import { lowerPriority } from './lower-priority.js';
import { progressReport } from './progress-report.js';
import { printStatus } from './status-line.js';
import { UsageError } from './usage-error.js';

export interface VerifyFlags {
  /** Whether to verify the backups instead of the logbook itself. */
  readonly isOfBackups: boolean;
  readonly backup?: string;
  readonly repair?: boolean;
  readonly acceptUnsigned?: boolean;
  readonly checkpoint?: readonly string[];
  readonly publicKey?: readonly string[];
  readonly json?: boolean;
}

/**
 * Verifies the logbook or its backups, and prints the findings. Exit code 1 when there are problems.
 * @throws Error when the data cannot be verified
 */
export async function verify(config: LoadedConfig, flags: VerifyFlags, stop: AbortSignal): Promise<void> {
  lowerPriority();
  const findings: DataFinding[] = [];
  const run: VerifyRun = {
    ...(await readEvidence(flags)),
    log: commandLog(config.logLevel),
    signal: stop,
    auditRetentionMs: config.options.auth.auditRetentionMs,
    onFinding(finding) {
      findings.push(finding);
      if (!flags.json) printStatus(describeFinding(finding));
    },
    ...(!flags.json && { onProgress: progressReport('files verified') }),
  };
  const { storage, backup } = config.options;
  const target = flags.isOfBackups ? requireTarget(backup.target) : undefined;
  const summary = await keepOwner(directoriesOf(storage, target), () => verifyWhat(config, flags, run));
  const problems = findings.filter(({ kind }) => kind === 'problem').length;
  if (flags.json) console.log(JSON.stringify({ problems, ...summary, findings }, undefined, 2));
  else {
    for (const line of summary.repaired) printStatus(`repaired  ${line}`);
    console.log('Not covered by the ledger:');
    for (const what of summary.uncovered) console.log(`  - ${what}`);
    console.log(summary.text);
    console.log(problems === 0 ? 'No problems were found.' : `${counted(problems, 'problem')}; see above.`);
  }
  process.exitCode = problems === 0 ? 0 : 1;
}

async function readEvidence({ checkpoint = [], publicKey = [] }: VerifyFlags) {
  const keys = await readPublicKeys(publicKey);
  if (checkpoint.length > 0 && keys.length === 0) {
    throw new UsageError('Give the key of the checkpoints with --public-key.');
  }
  return { keys, heads: await Promise.all(checkpoint.map((file) => readSignedHead(file, keys))) };
}

async function verifyWhat(
  { options }: LoadedConfig,
  { isOfBackups, backup, repair = false, acceptUnsigned = false }: VerifyFlags,
  run: VerifyRun,
) {
  const {
    storage,
    backup: { target, keys },
  } = options;
  if (isOfBackups && target) {
    const { dataDir } = storage;
    const trust = { keys: await readBackupKeys(keys, [dataDir]), acceptUnsigned };
    const found = await verifyBackupTarget({ target, backup, repair, trust, dataDir }, run);
    const { backups, entries, files, bytes } = found;
    const text = `${describeTarget(target)}: ${counted(backups.length, 'backup')}, the newest with ${counted(entries, 'entry')}; ${counted(files, 'file')}, ${inBytes(bytes)} verified.`;
    return { ...found, text };
  }
  const found = await verifyLogbook(storage, repair, run);
  const { storeId, entries, files, bytes, checkpoints } = found;
  const { given, stored, areSignaturesChecked } = checkpoints;
  const how = areSignaturesChecked
    ? 'with their signatures'
    : 'by size and root only, because no --public-key was given';
  return {
    ...found,
    text: `The logbook ${storeId}: ${counted(entries, 'entry')}; ${counted(files, 'file')}, ${inBytes(bytes)} verified; compared with ${counted(given, 'checkpoint')} given and ${stored} stored${stored > 0 ? ` (${how})` : ''}.`,
  };
}
