import type { Command } from 'commander';
import { addSettings, load } from './command-settings.js';
import { reporting } from './reporting.js';
import type { StopSignals } from './stop-signals.js';

export function defineCheck(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description(
        'Check the configuration and its connections to the database, directories, the OpenID Connect provider and mail servers. The data are not checked here: the running service checks them and shows the result at /readyz.',
      )
      .option('--user <NAME>', 'Also look this user up in the directories, and print the groups and roles.'),
  ).action(
    reporting('The connections were not checked', async () => {
      const { user } = command.opts<{ user?: string }>();
      const { check } = await import('./check.js');
      await check(load(command), user, stop);
    }),
  );
}

export function defineDoctor(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description(
        'Examine the installation: configuration, data directory, disk, backups, clock, certificates and servers. The service may run at the same time. Exit code 0: all is well; 1: there are warnings; 2: there are problems.',
      )
      .option('--json', 'Print the result as JSON.'),
  ).action(
    reporting(
      'The installation could not be examined',
      async () => {
        const { doctor } = await import('./doctor.js');
        await doctor(() => load(command), command.opts<{ json?: boolean }>(), stop);
      },
      2,
    ),
  );
}

export function defineHealth(command: Command): void {
  addSettings(
    command
      .description(
        'Ask the running service at its configured address whether it is healthy, as container health checks do. Exit code 0: it is; 1: it is not.',
      )
      .option('--ready', 'Ask whether it can take requests, at /readyz in place of /healthz.')
      .option('--of <PID>', 'Take the settings from the arguments of this process, the service.'),
  ).action(
    reporting('The service is not healthy', async () => {
      const { health } = await import('./health.js');
      await health(command);
    }),
  );
}
