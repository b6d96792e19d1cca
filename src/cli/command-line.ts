import { Command, CommanderError } from 'commander';
import { ConfigError, type LoadedConfig } from '../config/load-config.js';
import { productVersion } from '../kernel/product.js';
import type { AdoptFlags } from './adopt.js';
import { addBackupCommands } from './backup-commands.js';
import { addHelp } from './command-help.js';
import { addSettings, load } from './command-settings.js';
import { exitCodes } from './exit-codes.js';
import { addInitCommand } from './init/init-command.js';
import { addLedgerCommands } from './ledger-commands.js';
import { reporting } from './reporting.js';
import { noSignIn } from './startup-warnings.js';
import type { StopSignals } from './stop-signals.js';
import { addTransferCommands } from './transfer-commands.js';
import { withCommand } from './trial-place.js';

/** Runs the command that the arguments name; resolves when it is done. */
export async function runCommandLine(args: readonly string[], signals: StopSignals): Promise<void> {
  try {
    await createProgram(signals, args.includes('--all')).parseAsync(withCommand(args), {
      from: 'user',
    });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed what is wrong, or the help.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
}

/**
 * Returns the command with all its subcommands: what the command line, the manual page and the completions know.
 * @param showsAll whether the help of a command lists the settings too
 */
export function createProgram(signals: StopSignals, showsAll = false): Command {
  const program = new Command('logbook')
    .description('An online logbook for large scientific facilities.')
    .version(productVersion)
    .exitOverride()
    .showHelpAfterError('(--help shows the options)');
  addServeCommand(program, signals);
  addInitCommand(program, signals.stop);
  addSettings(
    program.command('config').description('Print the effective configuration and the origin of each value.'),
  ).action(reporting('The configuration cannot be printed', async (command) => printConfig(load(command))));
  addCheckCommands(program, signals.stop);
  addHealthCommand(program);
  addSettings(
    program
      .command('rebuild-index')
      .description('Rebuild the search index from the entries. The service must not be running.'),
  ).action(
    reporting('The search index was not rebuilt', async (command) => {
      const { rebuildIndex } = await import('./rebuild-index.js');
      await rebuildIndex(load(command), signals.stop);
    }),
  );
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
      const { adopt } = await import('./adopt.js');
      await adopt(load(command), { newLogbook, acceptMissingFiles, keepLog });
    }),
  );
  addSettings(
    program
      .command('migrate')
      .description('Create or upgrade the tables of storage=postgres. The service may run at the same time.')
      .option('--grant-to <ROLE>', 'Also give this role the rights to run the service on them.'),
  ).action(
    reporting('The tables were not migrated', async (command) => {
      const { grantTo } = command.opts<{ grantTo?: string }>();
      const { migrate } = await import('./migrate.js');
      await migrate(load(command), grantTo);
    }),
  );
  addBackupCommands(program, signals.stop);
  addTransferCommands(program, signals.stop);
  addLedgerCommands(program, signals.stop);
  addHelp(program, showsAll);
  return program;
}

function addServeCommand(program: Command, signals: StopSignals): void {
  addSettings(
    program
      .command('serve')
      .description('Run the service until Ctrl-C or SIGTERM.')
      .option(
        '--demo',
        'Try the service out: the evaluation users, whose passwords are public, may sign in. Listens on this machine alone unless host says otherwise; data in ./logbook-data.',
      ),
  ).action(
    reporting('Logbook cannot start', async (command) => {
      const { demo = false } = command.opts<{ demo?: boolean }>();
      const config = load(command, {}, demo || undefined);
      if (!config.hasSignIn) throw new ConfigError([noSignIn]);
      const { serve } = await import('./serve.js');
      await serve(config, signals);
    }),
  );
}

function addCheckCommands(program: Command, stop: AbortSignal): void {
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
      const { check } = await import('./check.js');
      await check(load(command), user, stop);
    }),
  );
  addSettings(
    program
      .command('doctor')
      .description(
        'Examine the installation: configuration, data directory, disk, backups, clock, certificates and servers. The service may run at the same time. Exit code 0: all is well; 1: there are warnings; 2: there are problems.',
      )
      .option('--json', 'Print the result as JSON.'),
  ).action(
    reporting(
      'The installation could not be examined',
      async (command) => {
        const { doctor } = await import('./doctor.js');
        await doctor(() => load(command), command.opts<{ json?: boolean }>(), stop);
      },
      2,
    ),
  );
}

function addHealthCommand(program: Command): void {
  addSettings(
    program
      .command('health')
      .description(
        'Ask the running service at its configured address whether it is well, as container health checks do. Exit code 0: it is; 1: it is not.',
      )
      .option('--ready', 'Ask whether it can take requests, at /readyz in place of /healthz.')
      .option('--of <PID>', 'Take the settings from the arguments of this process, the service.'),
  ).action(
    reporting('The service is not well', async (command) => {
      const { health } = await import('./health.js');
      await health(command);
    }),
  );
}

function printConfig({ lines, deprecations }: LoadedConfig): void {
  for (const line of lines) console.log(line);
  for (const { origin, replacement } of deprecations) {
    console.error(`Deprecated setting name: ${origin}. Use ${replacement} instead.`);
  }
}
