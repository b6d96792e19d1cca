import { hash, type KeyObject } from 'node:crypto';
import { isNoteSigned, signNote, textOfNote } from '../../packages/merkle-log/signed-note.js';

/** A stored checkpoint with which something is wrong for good, such as that the one before it is lost. */
export interface LostCheckpoint {
  readonly number: number;
  /** See `digestStored`. */
  readonly digest: string;
}

/** Statement, signed with a checkpoint, that an administrator knows the problems of stored checkpoints. */
export interface AcceptedLoss {
  readonly storeId: string;
  readonly atMs: number;
  /** One line. */
  readonly reason: string;
  readonly checkpoints: readonly LostCheckpoint[];
}

/** Digest of a stored checkpoint, so that an accepted loss does not excuse a later change of the checkpoint. */
export const digestStored = (document: string): string => hash('sha256', document, 'hex');

const nameOf = (storeId: string): string => `logbook/${storeId}`;

/** Returns the text of the statement with its signature (C2SP signed-note). */
export function signAcceptedLoss({ storeId, atMs, reason, checkpoints }: AcceptedLoss, key: KeyObject): string {
  const lines = [
    `${nameOf(storeId)} accepted loss`,
    `time ${new Date(atMs).toISOString()}`,
    `reason ${reason}`,
    ...checkpoints.map(({ number, digest }) => `checkpoint ${number} ${digest}`),
  ];
  return signNote(`${lines.join('\n')}\n`, nameOf(storeId), key);
}

/**
 * Reads such a statement; undefined if it is not one, or if none of the keys signed it.
 * @param keys empty: its signature is not checked
 */
export function readAcceptedLoss(note: string, keys: readonly KeyObject[]): AcceptedLoss | undefined {
  const [first = '', time = '', reason = '', ...checkpoints] = (textOfNote(note) ?? '').trimEnd().split('\n');
  const [, storeId] = /^logbook\/(\S+) accepted loss$/.exec(first) ?? [];
  const atMs = Date.parse(time.replace(/^time /, ''));
  if (storeId === undefined || Number.isNaN(atMs) || !reason.startsWith('reason ')) return undefined;
  const lost = checkpoints.map((line) => /^checkpoint (\d{1,15}) ([0-9a-f]{64})$/.exec(line));
  if (lost.includes(null)) return undefined;
  if (keys.length > 0 && !keys.some((key) => isNoteSigned(note, nameOf(storeId), key))) return undefined;
  return {
    ...{ storeId, atMs, reason: reason.slice('reason '.length) },
    checkpoints: lost.map((found) => ({ number: Number(found?.[1]), digest: String(found?.[2]) })),
  };
}
