import { ApiError } from '../api/api-error.ts';
import { type Attempt, type Draft, isSameContent } from './draft.ts';
import { addedFiles, completeServerDraft, removeFormerFiles } from './draft-files.ts';
import { changeStored } from './draft-store.ts';
import { type EntryBase, fetchBase, submitEntry } from './entry-requests.ts';
import { newUuid } from './uuid.ts';

/**
 * Sends a draft. If the answer to an earlier attempt was lost, first repeats that attempt under its key, so that the
 * entry exists once, and sends later changes as an edit of it. Returns the resulting version.
 * @throws ApiError
 */
export async function submitDraft(stored: Draft, userName: string): Promise<EntryBase> {
  let draft = await resolveAttempt(stored, userName);
  if (draft.purpose.kind === 'edit' && isSameContent(draft.purpose.base.content, draft.content)) {
    const { entry } = await fetchBase(draft.purpose.base.entryId);
    return { ...draft.purpose.base, entry };
  }
  draft = await keepAttempt(draft);
  try {
    return await sendAgain(draft, userName);
  } catch (error) {
    if (isFault(error, 412)) return findSent(draft, error);
    throw error;
  }
}

async function resolveAttempt(draft: Draft, userName: string): Promise<Draft> {
  const { attempt, purpose } = draft;
  if (!attempt?.isTried || purpose.kind === 'edit' || isSameContent(attempt.content, draft.content)) return draft;
  try {
    const sent = await sendAgain({ ...draft, content: attempt.content }, userName, attempt);
    return await continueAsEdit(draft, sent);
  } catch (error) {
    if (!(error instanceof ApiError) || error.isTransient || error.status === 401) throw error;
    // Refused: it has not been stored, nor will it be.
    const change = (one: Draft): Draft => ({ ...one, attempt: undefined });
    const changed = (await changeStored(draft.id, change)) ?? change(draft);
    // It is an entry that the sender may no longer read or edit. The user decides what becomes of the later changes.
    if (isStoredUnreadable(error)) throw error;
    return changed;
  }
}

/**
 * Turns the draft into an edit of the version that an earlier attempt has stored. The entry may have a later one by now,
 * which the edit must not overwrite.
 */
export async function continueAsEdit(draft: Draft, { entry: _, ...base }: EntryBase): Promise<Draft> {
  const has = new Set(base.content.files.map(({ id }) => id));
  const files = draft.content.files.map((file) => (has.has(file.id) ? { ...file, from: 'entry' as const } : file));
  const change = (one: Draft): Draft => ({
    ...one,
    purpose: { kind: 'edit', base },
    // The times of an entry cannot be changed.
    content: { ...one.content, files, events: base.content.events, unreadableTimes: undefined },
    attempt: undefined,
    server: undefined,
  });
  return (await changeStored(draft.id, change)) ?? change(draft);
}

/** Error: the draft was taken back before anything of it was sent. */
export class TakenBack extends Error {
  override readonly name = 'TakenBack';
}

/**
 * Stores the content and its key before they are sent for the first time, so that every page that opens the text later
 * can see the attempt.
 * @throws TakenBack when the draft is no longer to be sent
 */
async function keepAttempt(draft: Draft): Promise<Draft> {
  if (draft.attempt?.isTried && isSameContent(draft.attempt.content, draft.content)) return draft;
  const key = draft.attempt && !draft.attempt.isTried ? draft.attempt.key : newUuid();
  const attempt: Attempt = { key, content: draft.content, isTried: true };
  const kept = await changeStored(draft.id, (one) => (one.submission ? { ...one, attempt } : undefined));
  if (!kept) throw new TakenBack('The text was taken back before it was sent.');
  return kept;
}

/** Sends a draft, also if the server no longer has it because an earlier attempt has turned it into the entry. */
async function sendAgain(draft: Draft, userName: string, attempt = draft.attempt): Promise<EntryBase> {
  try {
    return await sendOnce(draft, userName, attempt);
  } catch (error) {
    if (isFault(error, 404, 'draft.not-found')) return sendOnce({ ...draft, server: undefined }, userName, attempt);
    throw error;
  }
}

async function sendOnce(draft: Draft, userName: string, attempt = draft.attempt): Promise<EntryBase> {
  const key = attempt?.key ?? newUuid();
  const withServerDraft = await prepareFiles(draft, userName);
  return submitEntry(draft, draft.content, { key, userName, withServerDraft });
}

/**
 * Returns whether the server has the draft with all its files. If it accepts no drafts, everything is sent in one form.
 */
async function prepareFiles(draft: Draft, userName: string): Promise<boolean> {
  const isThere = draft.server?.userName === userName;
  if (addedFiles(draft).length === 0) {
    if (isThere) await removeFormerFiles(draft).catch(ignoreMissingDraft);
    return isThere;
  }
  try {
    const server = await completeServerDraft(draft, userName);
    if (!isThere) await changeStored(draft.id, (one) => ({ ...one, server }));
    return true;
  } catch (error) {
    if (error instanceof ApiError && /^draft\.too-many|^draft\.files/.test(error.code)) return false;
    throw error;
  }
}

/** An earlier attempt may have turned the draft into the entry, which the repeated request then returns. */
function ignoreMissingDraft(error: unknown): void {
  if (!isFault(error, 404, 'draft.not-found')) throw error;
}

/** Returns the entry if it already has the content of this edit, whose answer was lost; otherwise throws the error. */
async function findSent(draft: Draft, error: unknown): Promise<EntryBase> {
  if (draft.purpose.kind !== 'edit') throw error;
  const current = await fetchBase(draft.purpose.base.entryId);
  const { content } = current;
  const title = draft.content.title.trim();
  const sent = { ...draft.content, title, events: content.events, unreadableTimes: undefined };
  if (isSameContent(content, sent)) return current;
  throw error;
}

/** Whether an earlier request has stored the entry, which its sender may no longer read. */
export function isStoredUnreadable(error: unknown): error is ApiError {
  return isFault(error, 403, 'entry.stored-unreadable');
}

function isFault(error: unknown, status: number, code?: string): boolean {
  return error instanceof ApiError && error.status === status && (code === undefined || error.code === code);
}
