import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { ConfigError } from '../config/config-error.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { AdoptFlags } from './adopt.js';
import { addSettings, load } from './command-settings.js';
import { reporting } from './reporting.js';
import { noSignIn } from './startup-warnings.js';
import type { StopSignals } from './stop-signals.js';

/** Time after the beginning of the start at which V8 resumes optimising code. */
const optimizedAfterMs = 2_000;

export function defineServe(command: Command, signals: StopSignals): void {
  addSettings(
    command
      .description('Run the service until Ctrl-C or SIGTERM.')
      .option(
        '--demo',
        'Try the service out: the evaluation users, whose passwords are public, may sign in. Listens only on this machine unless host says otherwise; data in ./logbook-data.',
      ),
  ).action(
    reporting('Logbook cannot start', async () => {
      const { demo = false } = command.opts<{ demo?: boolean }>();
      const config = load(command, {}, demo || undefined);
      if (!config.hasSignIn) throw new ConfigError([noSignIn]);
      // Little code of the start runs long enough to be worth optimising, unless there are data to convert.
      setFlagsFromString('--no-opt');
      setTimeout(() => setFlagsFromString('--opt'), optimizedAfterMs).unref();
      const { serve } = await import('./serve.js');
      await serve(config, signals);
    }),
  );
}

export function defineConfig(command: Command): void {
  addSettings(command.description('Print the effective configuration and the origin of each value.')).action(
    reporting('The configuration cannot be printed', async () => printConfig(load(command))),
  );
}

export function defineRebuildIndex(command: Command, { stop }: StopSignals): void {
  addSettings(
    command.description('Rebuild the search index from the entries. The service must not be running.'),
  ).action(
    reporting('The search index was not rebuilt', async () => {
      const { rebuildIndex } = await import('./rebuild-index.js');
      await rebuildIndex(load(command), stop);
    }),
  );
}

export function defineAdopt(command: Command): void {
  addSettings(
    command
      .description(
        'Record that all parts of the data directory belong to its database. The service must not be running.',
      )
      .option('--new-logbook', 'Begin an empty logbook in a directory whose database is missing.')
      .option('--accept-missing-files', 'Accept attachments whose files are missing: they cannot be downloaded.')
      .option('--keep-log', 'Accept that the write-ahead log belongs to the database: they were copied together.'),
  ).action(
    reporting('The data directory was not adopted', async () => {
      const { newLogbook = false, acceptMissingFiles = false, keepLog = false } = command.opts<Partial<AdoptFlags>>();
      const { adopt } = await import('./adopt.js');
      await adopt(load(command), { newLogbook, acceptMissingFiles, keepLog });
    }),
  );
}

export function defineMigrate(command: Command): void {
  addSettings(
    command
      .description('Create or upgrade the tables of storage=postgres. The service may run at the same time.')
      .option('--grant-to <ROLE>', 'Also give this role the rights to run the service on them.'),
  ).action(
    reporting('The tables were not migrated', async () => {
      const { grantTo } = command.opts<{ grantTo?: string }>();
      const { migrate } = await import('./migrate.js');
      await migrate(load(command), grantTo);
    }),
  );
}

function printConfig({ lines, deprecations }: LoadedConfig): void {
  for (const line of lines) console.log(line);
  for (const { origin, replacement } of deprecations) {
    console.error(`Deprecated setting name: ${origin}. Use ${replacement} instead.`);
  }
}
