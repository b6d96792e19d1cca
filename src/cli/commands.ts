import type { Command } from 'commander';
import type { StopSignals } from './stop-signals.js';

/** Gives a command its description, options and action. */
export type DefineCommand = (command: Command, signals: StopSignals) => void;

/** Entry in the list of commands, with the location of the command's code. */
export interface CommandEntry {
  /** Summary in one line, for the list of commands. */
  readonly summary: string;
  /** Descriptions of the operands, such as `<FILE>` or `[TARGET]`, in their order. */
  readonly operands?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  /** Loads the definition, which only the command itself and its help need. */
  readonly load: () => Promise<DefineCommand>;
}

const target = 'Where the backups are: a directory or s3://BUCKET/PREFIX. Default: the setting backupTarget.';

/** The commands by their names, in the order of the help. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'Run the service.',
    examples: ['logbook serve --config /etc/logbook/logbook.properties', 'logbook serve --demo'],
    load: async () => (await import('./service-commands.js')).defineServe,
  },
  init: {
    summary: 'Ask a few questions, and write a working configuration.',
    examples: ['sudo logbook init', 'logbook init --output site/logbook.properties'],
    load: async () => (await import('./init/init-command.js')).defineInit,
  },
  config: {
    summary: 'Print the effective configuration.',
    examples: ['logbook config', 'logbook config --config logbook.properties --http-port 9080'],
    load: async () => (await import('./service-commands.js')).defineConfig,
  },
  check: {
    summary: 'Check the configuration and the connections to other servers.',
    examples: ['logbook check', 'logbook check --user jane'],
    load: async () => (await import('./examine-commands.js')).defineCheck,
  },
  doctor: {
    summary: 'Examine the whole installation.',
    examples: ['sudo -u logbook logbook doctor', 'logbook doctor --json'],
    load: async () => (await import('./examine-commands.js')).defineDoctor,
  },
  health: {
    summary: 'Ask the running service whether it is healthy.',
    examples: ['logbook health --config /etc/logbook/logbook.properties'],
    load: async () => (await import('./examine-commands.js')).defineHealth,
  },
  'rebuild-index': {
    summary: 'Rebuild the search index.',
    examples: ['sudo -u logbook logbook rebuild-index'],
    load: async () => (await import('./service-commands.js')).defineRebuildIndex,
  },
  adopt: {
    summary: 'Record that the parts of a data directory belong together.',
    examples: ['sudo -u logbook logbook adopt', 'logbook adopt --data-dir ./data --new-logbook'],
    load: async () => (await import('./service-commands.js')).defineAdopt,
  },
  migrate: {
    summary: 'Create or upgrade the tables in PostgreSQL.',
    examples: ['logbook migrate --grant-to logbook'],
    load: async () => (await import('./service-commands.js')).defineMigrate,
  },
  backup: {
    summary: 'Make a backup, while the service runs or not.',
    operands: { '[TARGET]': target },
    examples: ['sudo -u logbook logbook backup', 'logbook backup s3://backups/logbook --prune'],
    load: async () => (await import('./backup-commands.js')).defineBackup,
  },
  'prune-backups': {
    summary: 'Remove the backups that the settings do not keep.',
    operands: { '[TARGET]': target },
    examples: ['sudo -u logbook logbook prune-backups'],
    load: async () => (await import('./backup-commands.js')).definePruneBackups,
  },
  restore: {
    summary: 'Restore a backup into an empty data directory.',
    operands: { '[TARGET]': target },
    examples: ['logbook restore /mnt/backup/logbook --data-dir /var/lib/logbook-restored'],
    load: async () => (await import('./backup-commands.js')).defineRestore,
  },
  verify: {
    summary: 'Verify the logbook or its backups.',
    operands: { '[TARGET]': 'Verify the backups in this directory or at s3://BUCKET/PREFIX.' },
    examples: ['sudo -u logbook logbook verify', 'logbook verify /mnt/backup/logbook'],
    load: async () => (await import('./backup-commands.js')).defineVerify,
  },
  copy: {
    summary: 'Copy a logbook into other engines.',
    examples: ['logbook copy --from old.properties --to new.properties --via /mnt/copy'],
    load: async () => (await import('./backup-commands.js')).defineCopy,
  },
  import: {
    summary: 'Import entries from another service or a file.',
    operands: {
      '<SOURCE>':
        'Address of a service with its root path, an exported file, an .eln file, or the directory of a PSI ELOG.',
    },
    examples: ['logbook import https://old.example.org/Olog', 'logbook import logbook.zip'],
    load: async () => (await import('./transfer-commands.js')).defineImport,
  },
  export: {
    summary: 'Write the whole logbook to a file.',
    operands: { '<FILE>': 'The file. An existing file of this name is replaced.' },
    examples: ['logbook export logbook.zip', 'logbook export shift.eln --sign-key key.pem'],
    load: async () => (await import('./transfer-commands.js')).defineExport,
  },
  mcp: {
    summary: 'Connect an agent to a running service.',
    examples: ['LOGBOOK_TOKEN=logbook_… logbook mcp --url https://logbook.example.org'],
    load: async () => (await import('./agent-commands.js')).defineMcp,
  },
  'signing-key': {
    summary: 'Create a key pair for checkpoints.',
    operands: { '<FILE>': 'The file of the private key, which must not exist.' },
    examples: ['logbook signing-key key.pem'],
    load: async () => (await import('./ledger-commands.js')).defineSigningKey,
  },
  checkpoint: {
    summary: 'Sign the current state of the logbook.',
    examples: ['logbook checkpoint --key key.pem --out logbook.checkpoint'],
    load: async () => (await import('./ledger-commands.js')).defineCheckpoint,
  },
  stamp: {
    summary: 'Add the time stamp of a checkpoint.',
    operands: { '<FILE>': 'The checkpoint.' },
    examples: ['logbook stamp logbook.checkpoint --timestamp https://tsa.example.org'],
    load: async () => (await import('./ledger-commands.js')).defineStamp,
  },
  prove: {
    summary: 'Write a proof of one version of an entry.',
    operands: { '<ID>': 'The id of the entry.' },
    examples: ['logbook prove 4711 --checkpoint logbook.checkpoint --out proof.json'],
    load: async () => (await import('./ledger-commands.js')).defineProve,
  },
  'check-proof': {
    summary: 'Check a proof, without the logbook.',
    operands: { '<PROOF>': 'The file.', '<KEY>': 'The public key of the checkpoint, in PEM.' },
    examples: ['logbook check-proof proof.json key.pem.pub'],
    load: async () => (await import('./ledger-commands.js')).defineCheckProof,
  },
};
