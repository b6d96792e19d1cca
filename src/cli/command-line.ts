import { Command } from 'commander';
import type { LoadedConfig } from '../config/load-config.js';
import { productVersion } from '../kernel/product.js';
import type { AdoptFlags } from './adopt.js';
import { addBackupCommands } from './backup-commands.js';
import { addSettings, load } from './command-settings.js';
import { addLedgerCommands } from './ledger-commands.js';
import { reporting } from './reporting.js';
import type { StopSignals } from './stop-signals.js';
import { addTransferCommands } from './transfer-commands.js';

/** Runs the command that the arguments name; resolves when it is done. */
export async function runCommandLine(args: readonly string[], signals: StopSignals): Promise<void> {
  await createProgram(signals).parseAsync(args, { from: 'user' });
}

/** Returns the command with all its subcommands: what the command line, the manual page and the completions know. */
export function createProgram(signals: StopSignals): Command {
  const program = new Command('logbook')
    .description('An online logbook for large scientific facilities.')
    .version(productVersion)
    .showHelpAfterError('(--help lists all options)');
  addSettings(
    program.command('serve', { isDefault: true }).description('Run the service. This is the default command.'),
  ).action(
    reporting('Logbook cannot start', async (command) => {
      const { serve } = await import('./serve.js');
      await serve(load(command), signals);
    }),
  );
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
      .description('Create or upgrade the tables of storage=postgres. The service may run meanwhile.')
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
  return program;
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
        'Examine the installation: configuration, data directory, disk, backups, clock, certificates and servers. The service may run meanwhile. Exit code 0: all is well; 1: there are warnings; 2: there are problems.',
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
