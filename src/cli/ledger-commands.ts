import type { Command } from 'commander';
import { addSettings, load } from './command-settings.js';
import type { CheckpointFlags, ProveFlags, StampFlags } from './ledger.js';
import { reporting } from './reporting.js';
import type { StopSignals } from './stop-signals.js';

export function defineSigningKey(command: Command): void {
  command
    .description(
      'Create a key pair for checkpoints: FILE, to be kept on a different machine from the logbook, and FILE.pub.',
    )
    .action(
      reporting('No key was created', async () => {
        const { createKey } = await import('./ledger.js');
        await createKey(command.args[0] ?? '');
      }),
    );
}

export function defineCheckpoint(command: Command, { stop }: StopSignals): void {
  addSettings(
    command
      .description(
        'Verify the documents of the logbook against its earlier checkpoints, sign its current state, and store the checkpoint in the logbook. The service may run at the same time. Exit code 1: there are problems, and nothing was signed; 3: the checkpoint was written, but without its time stamp, or not stored.',
      )
      .requiredOption('--key <FILE>', 'The private key, in PEM.')
      .requiredOption('--out <FILE>', 'Where to write the checkpoint; keep it away from the logbook.')
      .option('--previous <FILE...>', 'Also verify against these earlier checkpoints, which are kept elsewhere.')
      .option('--public-key <FILE...>', 'The public keys of earlier checkpoints, if another key signed them.')
      .option('--despite-problems', 'Sign although there are problems, which are printed.')
      .option(
        '--accept-loss <REASON>',
        'Accept that stored checkpoints are lost or damaged, and record this reason: “verify” names it as a notice from then on.',
      )
      .option(
        '--timestamp <URL>',
        'Also ask this time-stamping authority (RFC 3161), and write its answer to FILE.tsr.',
      ),
  ).action(
    reporting('No checkpoint was made', async () => {
      const { checkpoint } = await import('./ledger.js');
      await checkpoint(load(command), command.opts<CheckpointFlags>(), stop);
    }),
  );
}

export function defineStamp(command: Command, { stop }: StopSignals): void {
  command
    .description('Add the time stamp of a checkpoint that was made without one: FILE.tsr.')
    .requiredOption('--timestamp <URL>', 'The time-stamping authority (RFC 3161).')
    .action(
      reporting('No time stamp was added', async () => {
        const { stamp } = await import('./ledger.js');
        await stamp(command.args[0] ?? '', command.opts<StampFlags>(), stop);
      }),
    );
}

export function defineProve(command: Command): void {
  addSettings(
    command
      .description('Write a file by which others can check one version of an entry against a checkpoint.')
      .option('--entry-version <NUMBER>', 'Its version. Default: the current one.')
      .option('--checkpoint <FILE>', 'The checkpoint. Without one, the file proves nothing to others.')
      .requiredOption('--out <FILE>', 'Where to write the proof.'),
  ).action(
    reporting('Nothing was proven', async () => {
      const { prove } = await import('./ledger.js');
      await prove(load(command), command.args[0] ?? '', command.opts<ProveFlags>());
    }),
  );
}

export function defineCheckProof(command: Command): void {
  command.description('Check a file that “prove” wrote, and say what it proves. Needs no logbook.').action(
    reporting('Not proven', async () => {
      const { printProof } = await import('./check-proof.js');
      await printProof(command.args[0] ?? '', command.args[1] ?? '');
    }),
  );
}
