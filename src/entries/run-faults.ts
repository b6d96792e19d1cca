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

export function runClosed(entryId: number, { status, blocks }: RunState): Fault {
  return new Fault(
    'conflict',
    'run.closed',
    `The run of entry ${entryId} is closed (status: ${status}, blocks: ${blocks}); nothing was changed. Open another run.`,
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

/** The fault of a close by an author who sent more blocks than were stored. */
export function lostBlocks(entryId: number, { blocks }: RunState, sent: number): Fault {
  return new Fault(
    'conflict',
    'run.missing-blocks',
    `Entry ${entryId} has ${blocks} of ${sent} blocks, so its run stays open. Send block ${blocks + 1}, and close it then.`,
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

/** Names no next block: a client that repeats its request there would store the removed content again. */
export function blockRemoved(entryId: number, sequence: number): Fault {
  return new Fault(
    'conflict',
    'run.block-removed',
    `Content of entry ${entryId} was removed for good after block ${sequence} had been appended. Do not append this block again.`,
  );
}

export function emptyBlock(): Fault {
  return new Fault('invalid', 'run.empty-block', 'The block is empty. Send a “text”, “values” or files.');
}

/**
 * @param bytes size of the entry as JSON
 * @throws Fault too-large `run.full`
 */
export function checkRunSize(bytes: number, sequence: number): void {
  const { blocks, entryBytes } = runLimits;
  if (bytes <= entryBytes && sequence <= blocks) return;
  throw limitFault('too-large', 'run.full', {
    refused: 'The run has no room for this block; nothing was appended.',
    limit: {
      amount: `${blocks} blocks and ${inBytes(entryBytes)} of JSON, which has the text with and without markup,`,
      setting: undefined,
      countedFor: 'each run',
    },
    advice: 'Close it, and open another one. Append several values in one block.',
  });
}
