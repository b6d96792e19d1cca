import { hash, type KeyObject } from 'node:crypto';
import { isNoteSigned, signNote, textOfNote } from '../../packages/merkle-log/signed-note.js';

/** A stored checkpoint with a permanent problem, such as the loss of the previous checkpoint. */
export interface LostCheckpoint {
  readonly number: number;
  /** See `digestStored`. */
  readonly digest: string;
  /** Description of the problem, in one line; undefined: an earlier version of the program did not record it. */
  readonly what?: string | undefined;
}

/** Signed statement by which an administrator accepts the problems of stored checkpoints. */
export interface AcceptedLoss {
  readonly storeId: string;
  readonly atMs: number;
  /** Account and machine on which it was accepted; undefined: an earlier version of the program did not record it. */
  readonly by?: string | undefined;
  /** Reason that the administrator gave, in one line. */
  readonly reason: string;
  readonly checkpoints: readonly LostCheckpoint[];
}

/**
 * Computes the digest of a stored checkpoint. With it, an accepted loss does not excuse a later change of the
 * checkpoint.
 */
export const digestStored = (document: string): string => hash('sha256', document, 'hex');

/** Maximum length of a line of a statement, in UTF-16 code units. */
const maxLine = 500;

const inOneLine = (text: string): string =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, maxLine)
    .trim();

const nameOf = (storeId: string): string => `logbook/${storeId}`;

/** Returns the text of the statement with its signature (C2SP signed-note). */
export function signAcceptedLoss({ storeId, atMs, by, reason, checkpoints }: AcceptedLoss, key: KeyObject): string {
  const lines = [
    `${nameOf(storeId)} accepted loss`,
    `time ${new Date(atMs).toISOString()}`,
    ...(by === undefined ? [] : [`by ${inOneLine(by)}`]),
    `reason ${reason}`,
    ...checkpoints.map(({ number, digest, what }) =>
      `checkpoint ${number} ${digest} ${inOneLine(what ?? '')}`.trimEnd(),
    ),
  ];
  return signNote(`${lines.join('\n')}\n`, nameOf(storeId), key);
}

/**
 * Reads a statement; undefined if the text is not a statement, or if none of the keys signed it.
 * @param keys empty: the signature is not checked
 */
export function readAcceptedLoss(note: string, keys: readonly KeyObject[]): AcceptedLoss | undefined {
  const [first = '', time = '', ...lines] = (textOfNote(note) ?? '').trimEnd().split('\n');
  const by = lines[0]?.startsWith('by ') ? lines.shift()?.slice('by '.length) : undefined;
  const [reason = '', ...checkpoints] = lines;
  const [, storeId] = /^logbook\/(\S+) accepted loss$/.exec(first) ?? [];
  const atMs = Date.parse(time.replace(/^time /, ''));
  if (storeId === undefined || Number.isNaN(atMs) || !reason.startsWith('reason ')) return undefined;
  const lost = checkpoints.map((line) => /^checkpoint (\d{1,15}) ([0-9a-f]{64})(?: (.+))?$/.exec(line));
  if (lost.includes(null)) return undefined;
  if (keys.length > 0 && !keys.some((key) => isNoteSigned(note, nameOf(storeId), key))) return undefined;
  return {
    storeId,
    atMs,
    by,
    reason: reason.slice('reason '.length),
    checkpoints: lost.map((found) => ({ number: Number(found?.[1]), digest: String(found?.[2]), what: found?.[3] })),
  };
}
