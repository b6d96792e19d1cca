import type { ImageSize } from '../attachments/image-size.js';
import { Fault, quoted } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';

/** Content that a user has not submitted yet: any JSON, with files. */
export interface Draft {
  /** A UUID that the client chose; unique among the drafts of one account. */
  readonly id: string;
  /** Entity tag: differs between successive contents under this id. */
  readonly revision: string;
  /** The content, JSON in UTF-8. */
  readonly json: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** A draft in a list. */
export interface DraftSummary extends Omit<Draft, 'json'> {
  /** The `title` of the content, if it has one; shortened. */
  readonly title: string | null;
  /** Bytes of the content. */
  readonly size: number;
  /** Number of its files, whether they have arrived or not. */
  readonly attachments: number;
}

/** A file of a draft, which may be incomplete. */
export interface DraftFile {
  /** Id that the client has chosen; becomes the id of the attachment. */
  readonly id: string;
  readonly filename: string;
  /** Undefined: the media type is used. */
  readonly fileMetadataDescription?: string | undefined;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Number of bytes that have arrived. */
  readonly received: number;
  /** Undefined until the file is complete. */
  readonly complete: CompleteContent | undefined;
}

export interface CompleteContent extends Partial<ImageSize> {
  /** SHA-256 of the bytes, lower-case hex. */
  readonly checksum: string;
  readonly contentType: string;
}

export const draftLimits = {
  /** Maximum number of drafts of one account. */
  drafts: 100,
  /** Maximum number of files in all drafts of one account. */
  files: 1_000,
  /** Maximum number of parts in which one file arrives. */
  parts: 1_000,
  /** Number of days without a change after which a draft is removed. */
  days: 90,
} as const;

/** Maximum length in UTF-16 code units. */
const maxTitleLength = 200;

/** Returns the title of a draft for lists; null when its content has none. */
export function titleOf(content: unknown): string | null {
  const title = (content as { readonly title?: unknown } | null)?.title;
  return typeof title === 'string' ? title.slice(0, maxTitleLength).toWellFormed() : null;
}

export function draftNotFound(id: string): Fault {
  return new Fault('missing', 'draft.not-found', `You have no draft ${quoted(id)}.`);
}

export function draftFileNotFound(id: string): Fault {
  return new Fault('missing', 'draft.file-not-found', `The draft has no file with the id ${quoted(id)}.`);
}

/** Returns the fault for exceeding the maximum number of drafts, files or parts. */
export function tooMany(what: 'drafts' | 'files' | 'parts'): Fault {
  const countedFor = what === 'parts' ? 'each file of a draft' : 'the drafts of one user together';
  const advice = { drafts: 'Delete one first.', files: 'Delete one first.', parts: 'Send larger parts.' }[what];
  return limitFault('conflict', `draft.too-many-${what}`, {
    refused: 'Nothing was stored.',
    limit: { amount: `${draftLimits[what]} ${what}`, setting: undefined, countedFor },
    advice,
  });
}
