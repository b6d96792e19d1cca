import { backUpLogbook } from '../app/backup/back-up-logbook.js';
import { describeTarget } from '../app/backup/open-backup-target.js';
import { keepOwner } from '../app/keep-owner.js';
import { describeFinding } from '../backup/data-finding.js';
import type { LoadedConfig } from '../config/load-config.js';
import { inBytes } from '../kernel/limit.js';
import { counted } from '../kernel/text.js';
import { directoriesOf, requireTarget } from './backup-target.js';
import { commandLog } from './command-log.js';
import { lowerPriority } from './lower-priority.js';
import { progressReport } from './progress-report.js';
import { printStatus } from './status-line.js';

/** Makes a backup and prints its totals. Exit code 1 when data of the logbook are damaged. */
export async function backup({ options, logLevel }: LoadedConfig, prune: boolean, stop: AbortSignal): Promise<void> {
  lowerPriority();
  const target = requireTarget(options.backup.target);
  const {
    storage,
    backup: { keys, retention, bytesPerSecond },
  } = options;
  const request = { storage, target, keys, retention: prune ? retention : undefined, bytesPerSecond, mayCreate: true };
  const run = { log: commandLog(logLevel), signal: stop, onProgress: progressReport('files copied') };
  const { manifest, added, addedBytes, findings, removed, signer } = await keepOwner(
    directoriesOf(storage, target),
    () => backUpLogbook(request, run),
  );
  const { header, files, pieces } = manifest;
  const entries = pieces.filter(({ table }) => table === 'entry').reduce((sum, { rows }) => sum + rows, 0);
  for (const finding of findings) printStatus(describeFinding(finding));
  console.log(`The backup ${header.name} in ${describeTarget(target)} is complete.`);
  console.log(
    `It has ${counted(entries, 'entry')} and ${counted(files.length, 'file')}; ${inBytes(addedBytes)} in ${counted(added, 'object')} were new.`,
  );
  if (signer.created) {
    const { fingerprint, publicKeyFile } = signer.created;
    console.log(`It is signed with a new key, ${fingerprint}, whose public half is in ${publicKeyFile}.`);
    console.log(
      'Keep a copy of that file where the backups are not: a restore on another machine needs it, to tell your backups from others.',
    );
  }
  for (const name of removed.backups) console.log(`The backup ${name} was removed: newer ones cover it.`);
  if (prune && removed.untrusted.length > 0) {
    console.log(
      `${counted(removed.untrusted.length, 'backup')} without a valid signature, such as ${removed.untrusted[0]}, ${removed.untrusted.length === 1 ? 'is' : 'are'} kept until newer signed backups replace them.`,
    );
  }
  if (removed.damaged !== undefined) {
    console.log(`No backup was removed: the manifest of the backup ${removed.damaged} is damaged.`);
  }
  if (findings.length > 0) {
    process.exitCode = 1;
    console.log(`${counted(findings.length, 'problem')} of the logbook itself: see above.`);
  }
}
