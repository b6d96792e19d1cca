import type { KeyObject } from 'node:crypto';
import { encodeCheckpoint, parseCheckpoint } from '../../packages/merkle-log/checkpoint.js';
import { isNoteSigned, signNote, textOfNote } from '../../packages/merkle-log/signed-note.js';
import type { KnownHead } from './tree-check.js';

export interface SignedHead extends KnownHead {
  /** Id of the logbook. */
  readonly storeId: string;
  /** Time of the signature, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** The head of the ledger of a logbook at one moment. */
export interface Checkpoint {
  readonly storeId: string;
  /** Number of records in the ledger. */
  readonly size: number;
  /** The root of the tree of these records, in hexadecimal. */
  readonly root: string;
  readonly atMs: number;
}

/** Returns the text of a checkpoint (C2SP tlog-checkpoint) with its signature (C2SP signed-note). */
export function signCheckpoint(checkpoint: Checkpoint, privateKey: KeyObject): string {
  return signNote(encode(checkpoint), originOf(checkpoint.storeId), privateKey);
}

/**
 * Reads a checkpoint after checking its signature.
 * @throws Error that states the problem
 */
export function openCheckpoint(signed: string, publicKey: KeyObject): Checkpoint {
  const checkpoint = readCheckpoint(signed);
  if (!isNoteSigned(signed, originOf(checkpoint.storeId), publicKey)) {
    throw new Error('it was not signed with this key, or it was changed after it was signed');
  }
  return checkpoint;
}

/** Reads a checkpoint without checking its signature. @throws Error when the text is not a checkpoint */
export function readCheckpoint(signed: string): Checkpoint {
  const checkpoint = parse(textOfNote(signed) ?? '');
  if (!checkpoint) throw new Error('it is not a checkpoint');
  return checkpoint;
}

function encode({ storeId, size, root, atMs }: Checkpoint): string {
  return encodeCheckpoint({
    origin: originOf(storeId),
    extensions: [`time ${new Date(atMs).toISOString()}`],
    size,
    root,
  });
}

function parse(text: string): Checkpoint | undefined {
  const checkpoint = parseCheckpoint(text);
  if (!checkpoint) return undefined;
  const { origin, size, root, extensions } = checkpoint;
  const [, storeId] = /^logbook\/([^\s/]+)$/.exec(origin) ?? [];
  const [, time] = (extensions.length === 1 && /^time (\S+)$/.exec(extensions[0] ?? '')) || [];
  if (storeId === undefined || time === undefined) return undefined;
  return { storeId, size, root, atMs: Date.parse(time) };
}

const originOf = (storeId: string): string => `logbook/${storeId}`;
