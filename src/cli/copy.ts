import { resolve } from 'node:path';
import { copyLogbook } from '../app/backup/copy-logbook.js';
import { describeFinding } from '../backup/data-finding.js';
import { loadConfig } from '../config/load-config.js';
import { counted } from '../kernel/text.js';
import { commandLog } from './command-log.js';
import { progressReport } from './progress-report.js';
import { printStatus } from './status-line.js';
import { UsageError } from './usage-error.js';

export interface CopyFlags {
  /** Configuration file of the logbook to copy. */
  readonly from: string;
  /** Configuration file of the copy. */
  readonly to: string;
  /** Directory for the backup that carries the logbook to the copy. */
  readonly via: string;
}

const steps = {
  backup: 'Making a backup of the logbook.',
  restore: 'Restoring it into the copy.',
  compare: 'Comparing both, row by row and file by file.',
};

/**
 * Copies a logbook into other engines. Exit code 1 when the copy is not equal.
 * @throws Error when it cannot be copied
 */
export async function copy({ from, to, via }: CopyFlags, stop: AbortSignal): Promise<void> {
  if (resolve(from) === resolve(to))
    throw new UsageError(`--from and --to both name ${from}: a logbook cannot be copied into itself.`);
  // The environment is ignored, because its settings would apply to both.
  const [source, target] = [from, to].map((configFile) => loadConfig({ flags: {}, properties: {}, configFile }, {}));
  if (!source || !target) return;
  const { findings } = await copyLogbook({
    from: source.options.storage,
    to: target.options.storage,
    via: { kind: 'directory', dir: resolve(via) },
    log: commandLog(source.logLevel),
    signal: stop,
    onStep: (step) => console.log(steps[step]),
    onProgress: progressReport('files'),
    onEqual: ({ storeId, entries, rows, files }) =>
      console.log(
        `The copy of the logbook ${storeId} is equal: ${counted(entries, 'entry')}, ${counted(rows, 'row')}, and the content of ${counted(files, 'file')}.`,
      ),
  });
  for (const finding of findings) printStatus(describeFinding(finding));
  if (findings.length > 0) {
    console.log(
      `${counted(findings.length, 'problem')}: do not use the copy. The logbook itself was not changed. The same command copies again.`,
    );
    process.exitCode = 1;
    return;
  }
  console.log(
    'The first start of the copy builds its search index. Start only the original or the copy: both are the same logbook.',
  );
}
