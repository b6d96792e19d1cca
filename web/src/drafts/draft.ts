/** A file of a draft. Its bytes are stored next to the draft until the entry has them. */
export interface DraftFile {
  /** Id that this browser chose. The text refers to it, and it becomes the id of the attachment. */
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly type: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** `entry`: an attachment of the entry that is edited. */
  readonly from: 'added' | 'entry';
  /** The picture before marks were drawn on it. It stays in this browser until the draft is sent. */
  readonly original?: DraftFile | undefined;
}

export interface DraftProperty {
  readonly name: string;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
}

/** A time that the entry mentions. */
export interface DraftEvent {
  readonly name: string;
  readonly instant: number;
}

/** Text that was typed as a time and is not one. The draft cannot be sent with it. */
export interface UnreadableTime {
  readonly name: string;
  readonly text: string;
  /** Position among all times. */
  readonly at: number;
}

/** Property of an entry that an agent drafted. It stays on the entry, so that readers know. */
export const draftedByProperty = 'Drafted by';

/** Content that a person writes. */
export interface DraftContent {
  readonly title: string;
  readonly text: string;
  readonly level: string;
  readonly logbooks: readonly string[];
  readonly tags: readonly string[];
  readonly properties: readonly DraftProperty[];
  readonly events: readonly DraftEvent[];
  /** Kept apart from the events, because pages of earlier versions fail on an event without an instant. */
  readonly unreadableTimes?: readonly UnreadableTime[] | undefined;
  readonly files: readonly DraftFile[];
}

/** The version of an entry from which an edit began. */
export interface EditBase {
  readonly entryId: number;
  readonly etag: string;
  readonly version: number;
  readonly content: DraftContent;
}

export type DraftPurpose =
  | {
      readonly kind: 'new';
      /** Whether it is written in the line above the list. */
      readonly inLine?: boolean | undefined;
    }
  | { readonly kind: 'reply'; readonly to: number; readonly title: string }
  | { readonly kind: 'edit'; readonly base: EditBase };

/** Progress of sending a draft. */
export interface Submission {
  /**
   * `held`: it can be undone until `notBeforeMs`. `queued`: it waits for the network and the service. `signIn`: it
   * waits until its user is signed in. `refused` and `conflict`: a person has to act.
   */
  readonly state: 'held' | 'queued' | 'signIn' | 'refused' | 'conflict';
  readonly notBeforeMs: number;
  readonly attempts: number;
  /** The tab that is sending the draft, and the time at which its lease ends. */
  readonly lease?: { readonly tab: string; readonly untilMs: number } | undefined;
  /** Message of the service for the state `refused`. */
  readonly problem?: string | undefined;
}

/**
 * Content that is sent under the key. An attempt that was tried may have arrived, so it is resolved before anything
 * else is sent: nothing is then stored twice, and no later change is mistaken for a repetition.
 */
export interface Attempt {
  readonly key: string;
  readonly content: DraftContent;
  /** Whether this browser tried to send it. */
  readonly isTried: boolean;
}

export interface Draft {
  readonly id: string;
  readonly purpose: DraftPurpose;
  readonly content: DraftContent;
  /** Differs between any two contents that followed each other in this browser. */
  readonly revision: string;
  readonly modifiedMs: number;
  /** Owner of the draft; null until someone is signed in. */
  readonly userName: string | null;
  readonly templateName?: string | undefined;
  /**
   * Ids of the added files that were removed from the draft, which the server may still have. Undefined: the draft was
   * written by a client that does not record them.
   */
  readonly removedFiles?: readonly string[] | undefined;
  /** State of the copy on the server. */
  readonly server?: { readonly userName: string; readonly etag: string; readonly revision: string } | undefined;
  readonly submission?: Submission | undefined;
  readonly attempt?: Attempt | undefined;
  /** Time at which the draft was discarded; it is removed a while later. */
  readonly discardedMs?: number | undefined;
}

export const emptyContent: DraftContent = {
  title: '',
  text: '',
  level: '',
  logbooks: [],
  tags: [],
  properties: [],
  events: [],
  files: [],
};

/** Whether two contents would be stored identically. */
export function isSameContent(one: DraftContent, other: DraftContent): boolean {
  // Texts are compared first: they are long, and differ with each key.
  return one === other || (one.text === other.text && stableJson(one) === stableJson(other));
}

function stableJson({ files, text: _, ...content }: DraftContent): string {
  const present = Object.entries(content).filter(([, value]) => value !== undefined);
  const named = present.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([named, files.map(({ id, name }) => [id, name])]);
}

type Contents = Pick<Draft, 'content' | 'removedFiles'>;

/** Returns the changed content, and the files that were removed from it or earlier. */
export function changeContent(former: Contents, patch: Partial<DraftContent>): Contents {
  return replaceContent(former, { content: { ...former.content, ...patch }, removedFiles: former.removedFiles });
}

/** Returns the content that replaces the former one, and the files that were removed here or elsewhere. */
export function replaceContent(former: Contents, { content, removedFiles }: Contents): Contents {
  const had = former.content.files.filter(({ from }) => from === 'added').map(({ id }) => id);
  const has = new Set(content.files.map(({ id }) => id));
  const all = new Set([...(former.removedFiles ?? []), ...(removedFiles ?? []), ...had]);
  const removed = [...all].filter((id) => !has.has(id));
  return { content, removedFiles: removed.length > 0 ? removed : removedFiles && [] };
}

/** Whether a person has written anything that is worth keeping. */
export function isWorthKeeping({ purpose, content }: Draft): boolean {
  if (purpose.kind === 'edit') return !isSameContent(purpose.base.content, content);
  if (purpose.kind === 'reply' && content.title === purpose.title && content.text.trim() === '')
    return content.files.length > 0;
  return content.title.trim() !== '' || content.text.trim() !== '' || content.files.length > 0;
}

/**
 * Whether the text belongs to that user, or has no owner yet. Without a signed-in user, all texts in this browser count.
 */
export function isOwn({ userName: owner }: Draft, userName: string | null): boolean {
  return userName === null || owner === null || owner === userName;
}

/** Returns the author of the draft, unless the signed-in user wrote it. */
export function otherAuthor(draft: Draft, me: { readonly userName: string | null } | undefined): string | undefined {
  return me && !isOwn(draft, me.userName) ? (draft.userName ?? undefined) : undefined;
}

/** Returns the name of a draft for lists: its title, or else the beginning of its text. */
export function draftName({ content }: Draft): string {
  return content.title.trim() || firstWords(content.text);
}

const shownWords = 160;

/** Returns the beginning of a text for lists, without the commonest marks. */
export function firstWords(text: string): string {
  return text
    .slice(0, 2_000)
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)(?:\{[^}\n]*\})?/g, '$1')
    .replace(/^[ \t]*(?:[>#*+-]+[ \t]+)+|^\|?[ |:-]*---[ |:-]*$|\*\*|`|^\||\|[ \t]*$/gm, '')
    .replace(/\s+/g, ' ')
    .slice(0, shownWords)
    .trim();
}
