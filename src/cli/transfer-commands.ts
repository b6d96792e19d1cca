import type { Command } from 'commander';
import { addSettings, load } from './command-settings.js';
import type { ExportFlags } from './export.js';
import type { ImportFlags } from './import.js';
import { reporting } from './reporting.js';
import type { StopSignals } from './stop-signals.js';

export function defineImport(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description(
        'Import the entries of another service or a file. A repeated run adds what is new. An embedded storage must not be in use. Exit code 2: both sides differ.',
      )
      .option('--source-user <NAME>', 'User name at the source.')
      .option('--source-password-file <FILE>', 'Its password. [LOGBOOK_SOURCE_PASSWORD]')
      .option('--source-token-file <FILE>', 'A token instead. [LOGBOOK_SOURCE_TOKEN]')
      .option('--source-token-header <NAME>', 'Header for the token.', 'Authorization')
      .option('--source-ca-file <FILE>', 'PEM file: trust only these authorities.')
      .option('--client-info-header <NAME>', 'Header that names this client.', 'X-Logbook-Client-Info')
      .option('--requests-per-second <NUMBER>', 'Limit of the load.', '50')
      .option('--source-timeout <SECONDS>', 'Limit for an answer.', '60')
      .option('--largest-file <SIZE>', 'Leave out larger attachments.', '2GB')
      .option('--sample <NUMBER>', 'Entries to compare, or all.', '200')
      .option('--no-reconcile', 'Compare nothing afterwards.')
      .option('--logbook <NAME>', 'Logbook for the entries of an .eln file.')
      .option('--mapping <FILE>', 'JSON file that maps an ELOG.')
      .option('--dry-run', 'Only show the mapping of an ELOG.')
      .option('--report <FILE>', 'JSON file for counts and differences.'),
  ).action(
    reporting('The import did not finish', async () => {
      const { importCommand } = await import('./import.js');
      await importCommand(load(command), command.args[0] ?? '', command.opts<ImportFlags>(), stop);
    }),
  );
}

export function defineExport(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description(
        'Write the whole logbook to a file. The service must not be running with an embedded storage. Exit code 2: something could not be written.',
      )
      .option(
        '--format <FORMAT>',
        'ndjson: everything, in a zip that import reads; eln: an RO-Crate for other notebooks; html, csv: for people. Default: by the end of the name, .zip, .eln, .html, .html.zip or .csv.',
      )
      .option('--ro-crate <VERSION>', 'The version of RO-Crate that an .eln file conforms to: 1.1 or 1.2.', '1.2')
      .option('--sign-key <FILE>', 'Sign an .eln file with this Ed25519 key in PEM, as signing-key creates it.')
      .option('--keys-url <URL>', 'Where readers find the public key. Default: /.well-known/keys.json at publicUrl.'),
  ).action(
    reporting('The logbook was not exported', async () => {
      const { exportCommand } = await import('./export.js');
      await exportCommand(load(command), command.args[0] ?? '', command.opts<ExportFlags>(), stop);
    }),
  );
}
