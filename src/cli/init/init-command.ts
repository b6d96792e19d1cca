import type { Command } from 'commander';
import { reporting } from '../reporting.js';
import type { StopSignals } from '../stop-signals.js';
import type { InitFlags } from './answers.js';

export function defineInit(command: Command, { stop }: StopSignals): void {
  command
    .description(
      'Ask a few questions, test the answers, and write a configuration: TLS, a directory (with a sign-in), backups. The options answer questions in advance; without --yes, the others are asked.',
    )
    .option('--output <FILE>', 'The configuration. Default: that of the installed service, or ./logbook.properties.')
    .option('--overwrite', 'Replace the file if it exists, and keep it as FILE.old.')
    .option('--yes', 'Ask nothing: take the suggestions.')
    .option('--data <DIR>', 'Data directory. Default: /var/lib/logbook when installed.')
    .option('--name <HOST>', 'Name under which users reach the service, or HOST:PORT.')
    .option('--certificate <FILE>', 'Certificate chain in PEM.')
    .option('--key <FILE>', 'Key of the certificate in PEM.')
    .option('--sign-in <PROVIDER>', 'ldap or active_directory.')
    .option('--directory <URL>', 'Address of the directory.')
    .option('--directory-ca <FILE>', 'Authority of its certificate in PEM.')
    .option('--base-dn <DN>', 'ldap: base DN of the directory.')
    .option('--user-pattern <DN>', 'ldap: DN of a user, with {0} for the name.')
    .option('--groups-base <DN>', 'ldap: DN of the groups.')
    .option('--domain <NAME>', 'active_directory: name of the domain.')
    .option('--admins <GROUP>', 'Group whose members become administrators.')
    .option('--test-user <NAME>', 'User for the test of the sign-in.')
    .option('--test-password-file <FILE>', 'Password of this user.')
    .option('--backups <DIR>', 'Directory for backups.')
    .option('--service-user <NAME>', 'User who runs the service. Default: logbook.')
    .action(
      reporting('No configuration was written', async () => {
        const { init } = await import('./init.js');
        await init(command.opts<InitFlags>(), stop);
      }),
    );
}
