/** Texts that every command has in addition to its description. */
export interface CommandText {
  /** One line for the list of commands. */
  readonly summary: string;
  readonly examples: readonly string[];
}

/** Texts of the commands by their names. */
export const commandTexts = {
  serve: {
    summary: 'Run the service.',
    examples: ['logbook serve --config /etc/logbook/logbook.properties', 'logbook serve --demo'],
  },
  init: {
    summary: 'Ask a few questions, and write a working configuration.',
    examples: ['sudo logbook init', 'logbook init --output site/logbook.properties'],
  },
  config: {
    summary: 'Print the effective configuration.',
    examples: ['logbook config', 'logbook config --config logbook.properties --http-port 9080'],
  },
  check: {
    summary: 'Check the configuration and the connections to other servers.',
    examples: ['logbook check', 'logbook check --user jane'],
  },
  doctor: {
    summary: 'Examine the whole installation.',
    examples: ['sudo -u logbook logbook doctor', 'logbook doctor --json'],
  },
  health: {
    summary: 'Ask the running service whether it is alive.',
    examples: ['logbook health --config /etc/logbook/logbook.properties'],
  },
  'rebuild-index': { summary: 'Rebuild the search index.', examples: ['sudo -u logbook logbook rebuild-index'] },
  adopt: {
    summary: 'Record that the parts of a data directory belong together.',
    examples: ['sudo -u logbook logbook adopt', 'logbook adopt --data-dir ./data --new-logbook'],
  },
  migrate: {
    summary: 'Create or upgrade the tables in PostgreSQL.',
    examples: ['logbook migrate --grant-to logbook'],
  },
  backup: {
    summary: 'Make a backup, while the service runs or not.',
    examples: ['sudo -u logbook logbook backup', 'logbook backup s3://backups/logbook --prune'],
  },
  'prune-backups': {
    summary: 'Remove the backups that the settings do not keep.',
    examples: ['sudo -u logbook logbook prune-backups'],
  },
  restore: {
    summary: 'Restore a backup into an empty data directory.',
    examples: ['logbook restore /mnt/backup/logbook --data-dir /var/lib/logbook-restored'],
  },
  verify: {
    summary: 'Verify the logbook or its backups.',
    examples: ['sudo -u logbook logbook verify', 'logbook verify /mnt/backup/logbook'],
  },
  copy: {
    summary: 'Copy a logbook into other engines.',
    examples: ['logbook copy --from old.properties --to new.properties --via /mnt/copy'],
  },
  import: {
    summary: 'Bring in entries from another service or a file.',
    examples: ['logbook import https://old.example.org/Olog', 'logbook import logbook.zip'],
  },
  export: {
    summary: 'Write the whole logbook to a file.',
    examples: ['logbook export logbook.zip', 'logbook export shift.eln --sign-key key.pem'],
  },
  'signing-key': { summary: 'Create a key pair for checkpoints.', examples: ['logbook signing-key key.pem'] },
  checkpoint: {
    summary: 'Sign the present state of the logbook.',
    examples: ['logbook checkpoint --key key.pem --out logbook.checkpoint'],
  },
  stamp: {
    summary: 'Add the time stamp of a checkpoint.',
    examples: ['logbook stamp logbook.checkpoint --timestamp https://tsa.example.org'],
  },
  prove: {
    summary: 'Write a proof of one version of an entry.',
    examples: ['logbook prove 4711 --checkpoint logbook.checkpoint --out proof.json'],
  },
  'check-proof': {
    summary: 'Check a proof, without the logbook.',
    examples: ['logbook check-proof proof.json key.pem.pub'],
  },
} satisfies Record<string, CommandText>;
