import type { Command } from 'commander';
import { addSettings, load } from './command-settings.js';
import type { ExportFlags } from './export.js';
import type { ImportFlags } from './import.js';
import { reporting } from './reporting.js';

/** Adds the commands that bring entries in and out. The service does without their modules. */
export function addTransferCommands(program: Command, stop: AbortSignal): void {
  addSettings(
    program
      .command('import')
      .description(
        'Bring the entries of another service, or of a file, into the logbook; run again, what is new there. An embedded storage must not be in use. Exit code 2: it differs.',
      )
      .argument(
        '<SOURCE>',
        'Address of a service with its root path, an exported file, an .eln file, or the directory of a PSI ELOG.',
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
      .option('--mapping <FILE>', 'JSON file: what an ELOG becomes.')
      .option('--dry-run', 'Only show what an ELOG becomes.')
      .option('--report <FILE>', 'JSON file for counts and differences.'),
  ).action(
    reporting('The import did not finish', async (command) => {
      const { importCommand } = await import('./import.js');
      await importCommand(load(command), command.args[0] ?? '', command.opts<ImportFlags>(), stop);
    }),
  );
  addSettings(
    program
      .command('export')
      .description(
        'Write the whole logbook to a file. The service must not be running with an embedded storage. Exit code 2: something could not be written.',
      )
      .argument('<FILE>', 'The file; one of this name is replaced.')
      .option(
        '--format <FORMAT>',
        'ndjson: everything, in a zip that import reads; eln: an RO-Crate for other notebooks; html, csv: for people. Default: by the end of the name, .zip, .eln, .html, .html.zip or .csv.',
      )
      .option('--ro-crate <VERSION>', 'The version of RO-Crate that an .eln file conforms to: 1.1 or 1.2.', '1.2')
      .option('--sign-key <FILE>', 'Sign an .eln file with this Ed25519 key in PEM, as signing-key creates it.')
      .option('--keys-url <URL>', 'Where readers find the public key. Default: /.well-known/keys.json at publicUrl.'),
  ).action(
    reporting('The logbook was not exported', async (command) => {
      const { exportCommand } = await import('./export.js');
      await exportCommand(load(command), command.args[0] ?? '', command.opts<ExportFlags>(), stop);
    }),
  );
}
