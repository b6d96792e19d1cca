import type { Command } from 'commander';
import type { LoadedConfig } from '../config/load-config.js';
import { addSettings, load } from './command-settings.js';
import type { CopyFlags } from './copy.js';
import { reporting } from './reporting.js';
import type { RestoreFlags } from './restore.js';
import type { VerifyFlags } from './verify.js';

const place = 'Where the backups are: a directory or s3://BUCKET/PREFIX. Default: the setting backupTarget.';

/** Adds the commands that make, restore and verify backups. The service does without their modules. */
export function addBackupCommands(program: Command, stop: AbortSignal): void {
  addSettings(
    program
      .command('backup')
      .description('Make a backup. The service may run at the same time.')
      .argument('[PLACE]', place)
      .option(
        '--prune',
        'Then remove the backups that backupKeepDaily, backupKeepWeekly and backupKeepMonthly exclude.',
      ),
  ).action(
    reporting('The backup was not made', async (command) => {
      const { prune = false } = command.opts<{ prune?: boolean }>();
      const { backup } = await import('./backup.js');
      await backup(loadWithPlace(command), prune, stop);
    }),
  );
  addPruneCommand(program, stop);
  addRestoreCommand(program, stop);
  addSettings(
    program
      .command('verify')
      .description(
        'Verify the logbook, which may be in use, or with PLACE its backups. Exit code 0: all is well; 1: there are problems; 2: it could not be verified.',
      )
      .argument('[PLACE]', 'Verify the backups in this directory or at s3://BUCKET/PREFIX.')
      .option('--backup <NAME>', 'Verify only this backup.')
      .option(
        '--checkpoint <FILE...>',
        'Also verify that the logbook, or each backup, continues what these checkpoints signed.',
      )
      .option('--public-key <FILE...>', 'The public keys of the checkpoints, also of those in the logbook, in PEM.')
      .option('--accept-unsigned', 'Accept backups without a right signature.')
      .option('--repair', 'Repair what can be derived. The service must not be running.')
      .option('--json', 'Print the result as JSON.'),
  ).action(
    reporting(
      'It could not be verified',
      async (command) => {
        const { verify } = await import('./verify.js');
        const flags = command.opts<Omit<VerifyFlags, 'isOfBackups'>>();
        const isOfBackups = command.args.length > 0 || flags.backup !== undefined;
        await verify(loadWithPlace(command), { ...flags, isOfBackups }, stop);
      },
      2,
    ),
  );
  addCopyCommand(program, stop);
}

function addPruneCommand(program: Command, stop: AbortSignal): void {
  addSettings(
    program
      .command('prune-backups')
      .description(
        'Remove the backups that backupKeepDaily, backupKeepWeekly and backupKeepMonthly exclude, without making one.',
      )
      .argument('[PLACE]', place)
      .option('--accept-unsigned', 'Count backups without a right signature like others.'),
  ).action(
    reporting('The backups were not removed', async (command) => {
      const { acceptUnsigned = false } = command.opts<{ acceptUnsigned?: boolean }>();
      const { pruneBackups } = await import('./prune-backups.js');
      await pruneBackups(loadWithPlace(command), acceptUnsigned, stop);
    }),
  );
}

function addRestoreCommand(program: Command, stop: AbortSignal): void {
  addSettings(
    program
      .command('restore')
      .description('Restore a backup into an empty data directory.')
      .argument('[PLACE]', place)
      .option('--backup <NAME>', 'The backup to restore. Default: the newest one.')
      .option(
        '--id-gap <NUMBER>',
        'How many entry ids to leave out after the highest one known, plus one for each second since the newest backup; 0: none at all. Default: 10000.',
      )
      .option(
        '--accept-unsigned',
        'Restore a backup without a right signature: whoever could write to the place may have made it.',
      )
      .option('--with-credentials', 'Restore API tokens, too, with the rights that they had.')
      .option('--accept-damage', 'Restore what is intact of a damaged backup.')
      .option('--start-over', 'Remove what an interrupted restore has left in the data directory.'),
  ).action(
    reporting('The backup was not restored', async (command) => {
      const { restore } = await import('./restore.js');
      await restore(loadWithPlace(command), command.opts<RestoreFlags>(), findOwnDataDir(command), stop);
    }),
  );
}

function addCopyCommand(program: Command, stop: AbortSignal): void {
  program
    .command('copy')
    .description(
      'Copy a logbook into other engines, and prove that both are equal. The service must not be running. An interrupted copy is continued by the same command.',
    )
    .requiredOption('--from <FILE>', 'The configuration of the logbook.')
    .requiredOption(
      '--to <FILE>',
      'The configuration of the copy, in whose data directory, database and bucket nothing is.',
    )
    .requiredOption('--via <DIR>', 'A directory for a backup, by which the logbook travels.')
    .action(
      reporting('The logbook was not copied', async (command) => {
        const { copy } = await import('./copy.js');
        await copy(command.opts<CopyFlags>(), stop);
      }),
    );
}

/** The argument of these commands is a setting. */
function loadWithPlace(command: Command): LoadedConfig {
  const [backupTarget] = command.args;
  return load(command, backupTarget === undefined ? {} : { backupTarget });
}

/** The data directory of the service, where a flag names another one to restore into; undefined when it is not configured. */
function findOwnDataDir(command: Command): string | undefined {
  try {
    return load(command, {}, undefined, ['dataDir']).options.storage.dataDir;
  } catch {
    return undefined;
  }
}
