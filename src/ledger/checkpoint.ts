import type { KeyObject } from 'node:crypto';
import { isNoteSigned, signNote, textOfNote } from './signed-note.js';
import type { KnownHead } from './tree-check.js';

/** A head of the ledger that was signed. */
export interface SignedHead extends KnownHead {
  /** The logbook that it is of. */
  readonly storeId: string;
  /** When it was signed, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** The head of the ledger of a logbook at one moment. */
export interface Checkpoint {
  readonly storeId: string;
  /** How many records the ledger had. */
  readonly size: number;
  /** The root of the tree of these records, in hexadecimal. */
  readonly root: string;
  readonly atMs: number;
}

/** Returns the text of a checkpoint (C2SP tlog-checkpoint) with its signature (C2SP signed-note). */
export function signCheckpoint(checkpoint: Checkpoint, privateKey: KeyObject): string {
  return signNote(encodeCheckpoint(checkpoint), originOf(checkpoint.storeId), privateKey);
}

/**
 * Reads a checkpoint after checking its signature.
 * @throws Error that says what is wrong with it
 */
export function openCheckpoint(signed: string, publicKey: KeyObject): Checkpoint {
  const checkpoint = readCheckpoint(signed);
  if (!isNoteSigned(signed, originOf(checkpoint.storeId), publicKey)) {
    throw new Error('its signature is not of this key, or it was changed after it was signed');
  }
  return checkpoint;
}

/** Reads a checkpoint without checking its signature. @throws Error when it is none */
export function readCheckpoint(signed: string): Checkpoint {
  const checkpoint = parseCheckpoint(textOfNote(signed) ?? '');
  if (!checkpoint) throw new Error('it is not a checkpoint');
  return checkpoint;
}

function encodeCheckpoint({ storeId, size, root, atMs }: Checkpoint): string {
  const rootText = Buffer.from(root, 'hex').toString('base64');
  return `${originOf(storeId)}\n${size}\n${rootText}\ntime ${new Date(atMs).toISOString()}\n`;
}

function parseCheckpoint(text: string): Checkpoint | undefined {
  const [, storeId, size, root, time] =
    /^logbook\/([^\s/]+)\n(\d{1,15})\n([A-Za-z0-9+/]{43}=)\ntime (\S+)\n$/.exec(text) ?? [];
  if (storeId === undefined || root === undefined) return undefined;
  return {
    storeId,
    size: Number(size),
    root: Buffer.from(root, 'base64').toString('hex'),
    atMs: Date.parse(time ?? ''),
  };
}

const originOf = (storeId: string): string => `logbook/${storeId}`;
