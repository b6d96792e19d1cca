import { Command, Option } from 'commander';
import { ConfigError, type LoadedConfig, loadConfig } from '../config/load-config.js';
import { environmentName, findSetting, flagName, settingNames } from '../config/settings.js';
import { productVersion } from '../kernel/product.js';
import { type AdoptFlags, adopt } from './adopt.js';
import { check } from './check.js';
import type { CopyFlags } from './copy.js';
import { migrate } from './migrate.js';
import { rebuildIndex } from './rebuild-index.js';
import { reportFailure } from './report-failure.js';
import type { RestoreFlags } from './restore.js';
import { serve } from './serve.js';
import type { StopSignals } from './stop-signals.js';
import type { VerifyFlags } from './verify.js';

/** Runs the command that the arguments name; resolves when it is done. */
export async function runCommandLine(args: readonly string[], signals: StopSignals): Promise<void> {
  const program = new Command('logbook')
    .description('An online logbook for large scientific facilities.')
    .version(productVersion)
    .showHelpAfterError('(--help lists all options)');
  addSettings(
    program.command('serve', { isDefault: true }).description('Run the service. This is the default command.'),
  ).action(reporting('Logbook cannot start', (command) => serve(load(command), signals)));
  addSettings(
    program.command('config').description('Print the effective configuration and the origin of each value.'),
  ).action(reporting('The configuration cannot be printed', async (command) => printConfig(load(command))));
  addSettings(
    program
      .command('check')
      .description(
        'Check the configuration and its connections to the database, directories, the OpenID Connect provider and mail servers. The data are not checked here: the running service checks them and shows the result at /readyz.',
      )
      .option('--user <NAME>', 'Also look this user up in the directories, and print the groups and roles.'),
  ).action(
    reporting('The connections were not checked', async (command) => {
      const { user } = command.opts<{ user?: string }>();
      await check(load(command), user, signals.stop);
    }),
  );
  addSettings(
    program
      .command('rebuild-index')
      .description('Rebuild the search index from the entries. The service must not be running.'),
  ).action(reporting('The search index was not rebuilt', (command) => rebuildIndex(load(command), signals.stop)));
  addSettings(
    program
      .command('adopt')
      .description(
        'Record that all parts of the data directory belong to its database. The service must not be running.',
      )
      .option('--new-logbook', 'Begin an empty logbook in a directory whose database is missing.')
      .option('--accept-missing-files', 'Accept attachments whose files are missing: they cannot be downloaded.')
      .option('--keep-log', 'Accept that the write-ahead log belongs to the database: they were copied together.'),
  ).action(
    reporting('The data directory was not adopted', async (command) => {
      const { newLogbook = false, acceptMissingFiles = false, keepLog = false } = command.opts<Partial<AdoptFlags>>();
      await adopt(load(command), { newLogbook, acceptMissingFiles, keepLog });
    }),
  );
  addSettings(
    program
      .command('migrate')
      .description('Create or upgrade the tables of storage=postgres. The service may run meanwhile.')
      .option('--grant-to <ROLE>', 'Also give this role the rights to run the service on them.'),
  ).action(
    reporting('The tables were not migrated', async (command) => {
      const { grantTo } = command.opts<{ grantTo?: string }>();
      await migrate(load(command), grantTo);
    }),
  );
  addBackupCommands(program, signals);
  addCopyCommand(program, signals);
  await program.parseAsync(args, { from: 'user' });
}

function addBackupCommands(program: Command, { stop }: StopSignals): void {
  const place = 'Where the backups are: a directory or s3://BUCKET/PREFIX. Default: the setting backupTarget.';
  addSettings(
    program
      .command('backup')
      .description('Make a backup. The service may run meanwhile.')
      .argument('[PLACE]', place)
      .option(
        '--prune',
        'Then remove the backups that backupKeepDaily, backupKeepWeekly and backupKeepMonthly exclude.',
      ),
  ).action(
    reporting('The backup was not made', async (command) => {
      const { prune = false } = command.opts<{ prune?: boolean }>();
      // The service does without these modules, here and below.
      const { backup } = await import('./backup.js');
      await backup(load(command), prune, stop);
    }),
  );
  addSettings(
    program
      .command('restore')
      .description('Restore a backup into a data directory in which nothing is.')
      .argument('[PLACE]', place)
      .option('--backup <NAME>', 'The backup to restore. Default: the newest one.')
      .option('--id-gap <NUMBER>', 'How many entry ids to leave out after the highest one known. Default: 10000.')
      .option('--accept-damage', 'Restore what is intact of a damaged backup.')
      .option('--start-over', 'Remove what an interrupted restore has left in the data directory.'),
  ).action(
    reporting('The backup was not restored', async (command) => {
      const { restore } = await import('./restore.js');
      await restore(load(command), command.opts<RestoreFlags>(), stop);
    }),
  );
  addSettings(
    program
      .command('verify')
      .description(
        'Verify the logbook, which may be in use, or with PLACE its backups. Exit code 0: all is well; 1: there are problems; 2: it could not be verified.',
      )
      .argument('[PLACE]', 'Verify the backups in this directory or at s3://BUCKET/PREFIX.')
      .option('--backup <NAME>', 'Verify only this backup.')
      .option('--repair', 'Repair what can be derived. The service must not be running.')
      .option('--json', 'Print the result as JSON.'),
  ).action(
    reporting(
      'It could not be verified',
      async (command) => {
        const { verify } = await import('./verify.js');
        const flags = command.opts<Omit<VerifyFlags, 'isOfBackups'>>();
        const isOfBackups = command.args.length > 0 || flags.backup !== undefined;
        await verify(load(command), { ...flags, isOfBackups }, stop);
      },
      2,
    ),
  );
}

function addCopyCommand(program: Command, { stop }: StopSignals): void {
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

/** Runs a command; when it fails, prints `failure` and why, and ends with `exitCode`. */
function reporting(failure: string, run: (command: Command) => Promise<void>, exitCode = 1) {
  // The arguments come first, then the options, then the command.
  return async (...args: readonly unknown[]): Promise<void> => {
    try {
      await run(args.at(-1) as Command);
    } catch (error) {
      reportFailure(failure, error, exitCode);
    }
  };
}

function addSettings(command: Command): Command {
  command
    .addOption(new Option('--config <FILE>', 'Configuration file with lines name = value. [LOGBOOK_CONFIG]'))
    .addOption(
      new Option('-D <name=value>', 'Any setting by its name, such as -DrootPath=/Olog.')
        .argParser((pair: string, before: string[]) => [...before, pair])
        .default([], ''),
    );
  for (const name of settingNames) {
    const { placeholder, description, defaultText, formerNames = [] } = findSetting(name);
    const defaultNote = defaultText === '' ? '' : ` Default: ${defaultText}.`;
    command.addOption(
      new Option(`${flagName(name)} <${placeholder}>`, `${description}${defaultNote} [${environmentName(name)}]`),
    );
    for (const former of formerNames) {
      command.addOption(new Option(`${flagName(former)} <${placeholder}>`).hideHelp());
    }
  }
  return command;
}

/** The options of commands that are no settings. */
const commandOptions = new Set(
  'newLogbook acceptMissingFiles keepLog user grantTo prune backup idGap acceptDamage startOver repair json'.split(' '),
);

function load(command: Command): LoadedConfig {
  const { D: pairs, config, ...others } = command.opts<Record<string, unknown>>();
  const properties: Record<string, string> = {};
  for (const pair of pairs as string[]) {
    const equals = pair.indexOf('=');
    if (equals < 0) throw new ConfigError([`-D${pair}: write -Dname=value`]);
    properties[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  const settings = Object.entries(others).filter(([name]) => !commandOptions.has(name));
  const flags = Object.fromEntries(settings) as Record<string, string>;
  // The argument of the commands that have one.
  const [backupTarget] = command.args;
  if (backupTarget !== undefined) flags.backupTarget = backupTarget;
  return loadConfig({ flags, properties, configFile: config as string | undefined }, process.env);
}

function printConfig({ lines, deprecations }: LoadedConfig): void {
  for (const line of lines) console.log(line);
  for (const { origin, replacement } of deprecations) {
    console.error(`Deprecated setting name: ${origin}. Use ${replacement} instead.`);
  }
}
