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
        'Bring the entries of another service, or of a file, into the logbook, with everything that belongs to them; again: what is new there. An embedded storage must not be in use.',
      )
      .argument(
        '<SOURCE>',
        'The address of a running service with its root path, the file of an export, an .eln file, or the directory of a PSI ELOG.',
      )
      .option('--source-user <NAME>', 'Sign in at the source with this user name.')
      .option('--source-password-file <FILE>', 'A file with the password. [LOGBOOK_SOURCE_PASSWORD: the password]')
      .option('--source-token-file <FILE>', 'A file with a token. [LOGBOOK_SOURCE_TOKEN: the token]')
      .option('--source-token-header <NAME>', 'The header for the token.', 'Authorization')
      .option('--source-ca-file <FILE>', 'Trust only the authorities in this PEM file.')
      .option(
        '--client-info-header <NAME>',
        'The header that names this client to the source.',
        'X-Logbook-Client-Info',
      )
      .option('--requests-per-second <NUMBER>', 'Send no more requests than that.', '50')
      .option('--source-timeout <SECONDS>', 'How long to wait for data from the source, in seconds.', '60')
      .option('--largest-file <SIZE>', 'Leave out attachments that are larger.', '2GB')
      .option(
        '--sample <NUMBER>',
        'Number of entries that are compared with their earlier versions and files, or “all”.',
        '200',
      )
      .option('--no-reconcile', 'Do not compare the logbook with the source afterwards.')
      .option('--logbook <NAME>', 'File the entries of an .eln file in this logbook.')
      .option('--mapping <FILE>', 'What the logbooks and attributes of an ELOG become, as JSON.')
      .option('--dry-run', 'Only show what the logbooks and attributes of an ELOG become.')
      .option('--report <FILE>', 'Write all counts, problems and differences to this file, as JSON.'),
  ).action(
    reporting('The import did not finish', async (command) => {
      const { importCommand } = await import('./import.js');
      await importCommand(load(command), command.args[0] ?? '', command.opts<ImportFlags>(), stop);
    }),
  );
  addSettings(
    program
      .command('export')
      .description('Write the whole logbook to a file. An embedded storage must not be in use.')
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
