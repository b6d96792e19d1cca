import type { Command } from 'commander';
import type { LoadedConfig } from '../config/load-config.js';
import { addSettings, load } from './command-settings.js';
import type { CopyFlags } from './copy.js';
import { reporting } from './reporting.js';
import type { RestoreFlags } from './restore.js';
import type { StopSignals } from './stop-signals.js';
import type { VerifyFlags } from './verify.js';

export function defineBackup(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description('Make a backup. The service may run at the same time.')
      .option(
        '--prune',
        'Then remove the backups that backupKeepDaily, backupKeepWeekly and backupKeepMonthly exclude.',
      ),
  ).action(
    reporting('The backup was not made', async () => {
      const { prune = false } = command.opts<{ prune?: boolean }>();
      const { backup } = await import('./backup.js');
      await backup(loadWithTarget(command), prune, stop);
    }),
  );
}

export function definePruneBackups(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description(
        'Remove the backups that backupKeepDaily, backupKeepWeekly and backupKeepMonthly exclude, without making one.',
      )
      .option('--accept-unsigned', 'Count backups without a valid signature like others.'),
  ).action(
    reporting('The backups were not removed', async () => {
      const { acceptUnsigned = false } = command.opts<{ acceptUnsigned?: boolean }>();
      const { pruneBackups } = await import('./prune-backups.js');
      await pruneBackups(loadWithTarget(command), acceptUnsigned, stop);
    }),
  );
}

export function defineRestore(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description('Restore a backup into an empty data directory.')
      .option('--backup <NAME>', 'The backup to restore. Default: the newest one.')
      .option(
        '--id-gap <NUMBER>',
        'Number of entry ids to skip after the highest known one, in addition to one per second since the newest backup; 0: skip none. Default: 10000.',
      )
      .option(
        '--accept-unsigned',
        'Restore a backup without a valid signature: anyone who could write to the target may have made it.',
      )
      .option('--with-credentials', 'Restore API tokens, too, with the rights that they had.')
      .option('--accept-damage', 'Restore the intact parts of a damaged backup.')
      .option('--start-over', 'Remove what an interrupted restore has left in the data directory.'),
  ).action(
    reporting('The backup was not restored', async () => {
      const { restore } = await import('./restore.js');
      await restore(loadWithTarget(command), command.opts<RestoreFlags>(), findOwnDataDir(command), stop);
    }),
  );
}

export function defineVerify(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description(
        'Verify the logbook, which may be in use, or with TARGET its backups. Exit code 0: all is well; 1: there are problems; 2: it could not be verified.',
      )
      .option('--backup <NAME>', 'Verify only this backup.')
      .option(
        '--checkpoint <FILE...>',
        'Also verify that the logbook, or each backup, continues what these checkpoints signed.',
      )
      .option('--public-key <FILE...>', 'The public keys of the checkpoints, also of those in the logbook, in PEM.')
      .option('--accept-unsigned', 'Accept backups without a valid signature.')
      .option('--repair', 'Repair what can be derived. The service must not be running.')
      .option('--json', 'Print the result as JSON.'),
  ).action(
    reporting(
      'It could not be verified',
      async () => {
        const { verify } = await import('./verify.js');
        const flags = command.opts<Omit<VerifyFlags, 'isOfBackups'>>();
        const isOfBackups = command.args.length > 0 || flags.backup !== undefined;
        await verify(loadWithTarget(command), { ...flags, isOfBackups }, stop);
      },
      2,
    ),
  );
}

export function defineCopy(command: Command, { stop }: StopSignals): void {
  command
    .description(
      'Copy a logbook into other engines, and prove that both are equal. The service must not be running. An interrupted copy is continued by the same command.',
    )
    .requiredOption('--from <FILE>', 'The configuration of the logbook.')
    .requiredOption(
      '--to <FILE>',
      'The configuration of the copy. Its data directory, database and bucket must be empty.',
    )
    .requiredOption('--via <DIR>', 'A directory for the backup that carries the logbook to the copy.')
    .action(
      reporting('The logbook was not copied', async () => {
        const { copy } = await import('./copy.js');
        await copy(command.opts<CopyFlags>(), stop);
      }),
    );
}

/** Loads the configuration with the backup target that the command line names as its argument. */
function loadWithTarget(command: Command): LoadedConfig {
  const [backupTarget] = command.args;
  return load(command, backupTarget === undefined ? {} : { backupTarget });
}

/**
 * Returns the data directory that the service itself uses, even if a flag names another one as the target of a restore.
 * Undefined when it is not configured.
 */
function findOwnDataDir(command: Command): string | undefined {
  try {
    return load(command, {}, undefined, ['dataDir']).options.storage.dataDir;
  } catch {
    return undefined;
  }
}
