import { Fault } from '../kernel/fault.js';
import { inBytes, limitFault } from '../kernel/limit.js';
import type { RunState } from './entry.js';

/** Limits of one run, because each append stores the entry again, and a check of the ledger reads it once per block. */
const runLimits = { blocks: 2_000, entryBytes: 524_288, values: 200 } as const;

export function notARun(entryId: number): Fault {
  return new Fault(
    'conflict',
    'run.not-a-run',
    `Entry ${entryId} is not a run. Create an entry with run=true, and append to it.`,
  );
}

export function runClosed(entryId: number, { status }: RunState): Fault {
  return new Fault(
    'conflict',
    'run.closed',
    `The run of entry ${entryId} is closed with the status ${status}; nothing was appended. Open another run.`,
  );
}

/** The fault of a block that is too early: earlier blocks are missing. */
export function missingBlocks(entryId: number, { blocks }: RunState, sequence: number): Fault {
  return new Fault(
    'conflict',
    'run.missing-blocks',
    `Entry ${entryId} has ${blocks} blocks, so block ${sequence} cannot be appended. Send block ${blocks + 1} first.`,
    { details: { nextSequence: blocks + 1 } },
  );
}

export function blockTaken(entryId: number, { blocks }: RunState, sequence: number): Fault {
  return new Fault(
    'conflict',
    'run.block-taken',
    `Entry ${entryId} has another block ${sequence}. Append yours as block ${blocks + 1}.`,
    { details: { nextSequence: blocks + 1 } },
  );
}

export function emptyBlock(): Fault {
  return new Fault('invalid', 'run.empty-block', 'The block is empty. Send a “text”, “values” or files.');
}

/** @throws Fault too-large `run.full` */
export function checkRunSize(bytes: number, sequence: number): void {
  const { blocks, entryBytes } = runLimits;
  if (bytes <= entryBytes && sequence <= blocks) return;
  throw limitFault('too-large', 'run.full', {
    refused: 'The run has no room for this block; nothing was appended.',
    limit: { amount: `${blocks} blocks and ${inBytes(entryBytes)}`, setting: undefined, countedFor: 'each run' },
    advice: 'Close it, and open another one. Append several values in one block.',
  });
}
