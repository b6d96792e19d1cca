import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { rawPublicKey } from '../kernel/signing-keys.js';
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

/** The algorithm of a signature in such a file. */
const ed25519 = 1;
const keyIdBytes = 4;

/** Returns the text of a checkpoint (C2SP tlog-checkpoint) with its signature (C2SP signed-note). */
export function signCheckpoint(checkpoint: Checkpoint, privateKey: KeyObject): string {
  const text = encodeCheckpoint(checkpoint);
  const name = originOf(checkpoint.storeId);
  const signature = Buffer.concat([
    keyId(name, createPublicKey(privateKey)),
    sign(null, Buffer.from(text), privateKey),
  ]);
  return `${text}\n\u2014 ${name} ${signature.toString('base64')}\n`;
}

/**
 * Reads a checkpoint after checking its signature.
 * @throws Error that says what is wrong with it
 */
export function openCheckpoint(signed: string, publicKey: KeyObject): Checkpoint {
  const checkpoint = readCheckpoint(signed);
  const end = signed.indexOf('\n\n');
  const text = signed.slice(0, end + 1);
  const name = originOf(checkpoint.storeId);
  const isSigned = signed
    .slice(end + 2)
    .split('\n')
    .some((line) => isSignature(line, { name, text, publicKey }));
  if (!isSigned) throw new Error('its signature is not of this key, or it was changed after it was signed');
  return checkpoint;
}

/** Reads a checkpoint without checking its signature. @throws Error when it is none */
export function readCheckpoint(signed: string): Checkpoint {
  const end = signed.indexOf('\n\n');
  const checkpoint = end < 0 ? undefined : parseCheckpoint(signed.slice(0, end + 1));
  if (!checkpoint) throw new Error('it is not a checkpoint');
  return checkpoint;
}

function isSignature(
  line: string,
  { name, text, publicKey }: { readonly name: string; readonly text: string; readonly publicKey: KeyObject },
): boolean {
  const [dash, signer, encoded] = line.split(' ');
  if (dash !== '\u2014' || signer !== name || encoded === undefined) return false;
  const bytes = Buffer.from(encoded, 'base64');
  if (!bytes.subarray(0, keyIdBytes).equals(keyId(name, publicKey))) return false;
  return verify(null, Buffer.from(text), publicKey, bytes.subarray(keyIdBytes));
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

/** See signed-note: by it a reader finds the key of a signature. */
function keyId(name: string, publicKey: KeyObject): Buffer {
  const input = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ed25519), rawPublicKey(publicKey)]);
  return hash('sha256', input, 'buffer').subarray(0, keyIdBytes);
}
