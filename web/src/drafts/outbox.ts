import { useSyncExternalStore } from 'react';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { onRecovered } from '../offline/connection.ts';
import { meQuery } from '../session/me.ts';
import { type Draft, isSameContent, type Submission } from './draft.ts';
import { announceDraft, watchDrafts } from './draft-channel.ts';
import { addedFiles } from './draft-files.ts';
import { changeStored, findDraft, listDrafts, removeDraft } from './draft-store.ts';
import { type EntryBase, submitEntry } from './entry-requests.ts';
import { writeJournal } from './journal.ts';
import { removeCopies, removeCopy, removeDiscardedCopy, removeStored } from './removed-copies.ts';
import { announceSent } from './sent-entries.ts';
import { continueAsEdit, isStoredUnreadable, submitDraft, TakenBack } from './submit-draft.ts';
import { newUuid } from './uuid.ts';

/** Time for which the sending of an entry can be undone. */
const holdMs = 5_000;
const leaseMs = 20_000;
const firstRetryMs = 2_000;
const maxRetryMs = 30_000;
/** Time for which a discarded draft is kept. */
const keepDiscardedMs = 86_400_000;

const tab = newUuid();
let items: readonly Draft[] = [];
let isRunning = false;
let isStarted = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let tryAtMs = 0;
const listeners = new Set<() => void>();

/** The drafts that are being sent or are waiting. */
export function useOutbox(): readonly Draft[] {
  return useSyncExternalStore(watchOutbox, () => items);
}

function watchOutbox(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sends drafts that earlier pages left in the queue, and from now on each queued draft as soon as possible. */
export function startOutbox(): void {
  if (isStarted) return;
  isStarted = true;
  // Typing does not change the outbox.
  watchDrafts(({ revision }) => {
    if (!revision) void refresh();
  });
  addEventListener('online', sendWaiting);
  onRecovered(sendWaiting);
  addEventListener('pagehide', sendHeldAtOnce);
  // Someone has signed in, or the service answers again.
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.queryKey[0] === 'me' && query.state.status === 'success') schedule();
  });
  void refresh().then(removeDiscarded).then(removeCopies);
}

/** Holds the draft for a few seconds, then sends it in the name of its user, or of this user if it has none. */
export async function queueDraft(draftId: string, userName: string | undefined): Promise<void> {
  const notBeforeMs = Date.now() + holdMs;
  // The tab in which it was sent reports the outcome.
  const lease = { tab, untilMs: notBeforeMs + leaseMs };
  await queue(draftId, { state: 'held', notBeforeMs, attempts: 0, lease }, userName);
}

/** Sends the draft as soon as its user is signed in. A draft without a user belongs to the next one who signs in. */
export async function queueForSignIn(draftId: string): Promise<void> {
  await queue(draftId, { state: 'signIn', notBeforeMs: Date.now(), attempts: 0 }, undefined);
}

/** Updates the copy that waits to be sent with text that was typed while the page of the draft was closing. */
export async function addLate({ id, content, removedFiles, revision, modifiedMs }: Draft): Promise<void> {
  await changeStored(id, (draft) => {
    const { attempt, submission, discardedMs } = draft;
    // Content that is being sent must not change.
    if (discardedMs !== undefined || (submission && !/^(held|signIn)$/.test(submission.state))) return undefined;
    return {
      ...draft,
      content,
      removedFiles,
      revision,
      modifiedMs,
      attempt: attempt?.isTried ? attempt : attempt && { ...attempt, content },
    };
  });
  await refresh();
}

async function queue(draftId: string, submission: Submission, userName: string | undefined): Promise<void> {
  const queued = await changeStored(draftId, ({ discardedMs: _, ...draft }) => ({
    ...draft,
    submission,
    userName: draft.userName ?? userName ?? null,
    // Stored before anything is sent, so that a page that is killed now still sends it only once, under this key.
    attempt: draft.attempt ?? { key: newUuid(), content: draft.content, isTried: false },
  }));
  if (!queued) throw new Error(`There is no draft ${draftId} to send.`);
  announceDraft({ id: draftId, revision: '' });
  await refresh();
}

/** Takes a draft out of the queue for further writing. Waits a while for a request under way. */
export async function takeBack(draftId: string): Promise<void> {
  // A page that is left at this moment must not send it.
  items = items.map((item) => (item.id === draftId && item.submission?.state === 'held' ? unheld(item) : item));
  for (let waits = 0; isRunning && waits < 30; waits += 1) await new Promise((done) => setTimeout(done, 100));
  await changeStored(draftId, ({ submission: _, ...draft }) =>
    draft.attempt?.isTried ? draft : { ...draft, attempt: undefined },
  );
  announceDraft({ id: draftId, revision: '' });
  await refresh();
}

function unheld({ submission: _, ...draft }: Draft): Draft {
  return draft;
}

/** Sends all waiting drafts now. */
export function sendWaiting(): void {
  tryAtMs = 0;
  schedule();
}

async function refresh(): Promise<void> {
  items = (await listDrafts()).filter(({ submission, discardedMs }) => submission && discardedMs === undefined);
  for (const listener of listeners) listener();
  schedule();
}

function schedule(): void {
  clearTimeout(timer);
  const next = Math.min(...items.filter(canGo).map(dueMs));
  if (!Number.isFinite(next) || isRunning) return;
  timer = setTimeout(() => void run(), Math.max(next, passedIfFar(tryAtMs)) - Date.now());
}

function canGo({ submission, userName }: Draft): boolean {
  if (submission?.state === 'held' || submission?.state === 'queued') return true;
  const me = queryClient.getQueryData(meQuery.queryKey);
  if (submission?.state !== 'signIn' || typeof me?.userName !== 'string') return false;
  return userName === null || me.userName === userName;
}

/** Returns the earliest time at which this tab may send the draft: not before the lease of another tab ends. */
function dueMs({ submission }: Draft): number {
  const { notBeforeMs = 0, lease: taken } = submission ?? {};
  return passedIfFar(taken && taken.tab !== tab ? Math.max(notBeforeMs, taken.untilMs) : notBeforeMs);
}

/** Treats a time that is too far in the future as passed: the clock was set back after the time was stored. */
function passedIfFar(ms: number): number {
  return ms > Date.now() + holdMs + maxRetryMs ? 0 : ms;
}

async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  try {
    const due = items.filter((item) => canGo(item) && dueMs(item) <= Date.now());
    for (const { id } of due) await sendOne(id);
  } finally {
    isRunning = false;
    await refresh();
  }
}

async function sendOne(id: string): Promise<void> {
  const leased = await changeStored(id, (draft) => lease(draft));
  if (!leased?.submission) return;
  try {
    const me = await queryClient.fetchQuery({ ...meQuery, staleTime: 5_000, retry: false });
    if (me.userName === null || (leased.userName !== null && leased.userName !== me.userName)) {
      await settle(id, { state: 'signIn' });
      return;
    }
    await finish(leased, await submitDraft(leased, me.userName));
  } catch (error) {
    if (error instanceof TakenBack || (isStoredUnreadable(error) && (await removeStored(leased, error.message))))
      return;
    await settle(id, outcomeOf(error, leased.submission));
  }
}

/** Takes the lease for this tab. If two tabs send the same draft, the common key prevents harm. */
function lease(draft: Draft): Draft | undefined {
  const { submission } = draft;
  if (!submission || draft.discardedMs !== undefined || dueMs(draft) > Date.now()) return undefined;
  return { ...draft, submission: { ...submission, state: 'queued', lease: { tab, untilMs: Date.now() + leaseMs } } };
}

async function finish({ id, purpose, revision, server, userName, attempt }: Draft, sent: EntryBase): Promise<void> {
  tryAtMs = 0;
  // It was taken back and changed in the meantime: the change is now an edit of the entry that exists.
  if (!(await removeDraft(id, (current) => current.revision === revision))) {
    const changed = await findDraft(id);
    if (changed) await continueAsEdit(changed, sent);
    announceDraft({ id, revision: '' });
    return;
  }
  announceDraft({ id, revision: undefined });
  // The entry has taken over the copy on the server, unless an earlier attempt did and the copy was stored again.
  if (!server || attempt?.isTried) void removeCopy(id, userName);
  announceSent({ draftId: id, entry: sent.entry, kind: purpose.kind });
}

function outcomeOf(error: unknown, { attempts }: Submission): Partial<Submission> {
  const fault = error instanceof ApiError ? error : undefined;
  if (fault?.status === 401) return { state: 'signIn' };
  if (fault?.status === 412) return { state: 'conflict' };
  if (fault && !fault.isTransient && fault.code !== 'draft.file-incomplete') {
    return { state: 'refused', problem: fault.message };
  }
  tryAtMs = Date.now() + Math.min(firstRetryMs * 2 ** attempts, maxRetryMs);
  return { state: 'queued', problem: fault?.isOffline ? undefined : fault?.message };
}

async function settle(id: string, outcome: Partial<Submission>): Promise<void> {
  await changeStored(id, ({ submission, ...draft }) => {
    if (!submission) return undefined;
    const { lease: _, problem: __, ...rest } = submission;
    return { ...draft, submission: { ...rest, attempts: rest.attempts + 1, ...outcome } };
  });
  announceDraft({ id, revision: '' });
}

/**
 * Sends held drafts immediately, as the page is being left. Those that the browser stops are sent at the next start.
 */
function sendHeldAtOnce(): void {
  items = items.map((draft) => {
    const { submission, attempt } = draft;
    // Another tab that is still open sends its own ones, or takes them back.
    if (submission?.state !== 'held' || submission.lease?.tab !== tab || !attempt) return draft;
    const left: Draft = {
      ...draft,
      modifiedMs: draft.modifiedMs + 1,
      submission: { ...submission, state: 'queued', notBeforeMs: 0, lease: undefined },
      attempt: { ...attempt, isTried: attempt.isTried || canOutlivePage(draft) },
    };
    writeJournal(left);
    if (canOutlivePage(draft)) sendOutlivingPage(draft, attempt.key);
    return left;
  });
}

/**
 * Whether one short request is enough. It is not for a draft with added files, or with removed files that the server
 * may still have, nor for an edit of which the server has no draft.
 */
function canOutlivePage(draft: Draft): boolean {
  const { attempt, content, purpose, server, removedFiles } = draft;
  if (!attempt || !isSameContent(attempt.content, content) || addedFiles(draft).length > 0) return false;
  // A draft that does not record its removed files may have some.
  if (server !== undefined && removedFiles?.length !== 0) return false;
  return draft.userName !== null && (purpose.kind !== 'edit' || server !== undefined);
}

function sendOutlivingPage(draft: Draft, key: string): void {
  const { server, userName } = draft;
  if (userName === null) return;
  const withServerDraft = server !== undefined && server.userName === userName;
  void submitEntry(draft, draft.content, { key, userName, withServerDraft, keepalive: true }).catch(() => {});
}

/** Discards a draft, which can be restored for a while. Returns the time of the discard. */
export async function discardDraft(id: string): Promise<number> {
  const discardedMs = Date.now();
  await changeStored(id, ({ submission: _, ...draft }) => ({ ...draft, discardedMs }));
  announceDraft({ id, revision: undefined });
  return discardedMs;
}

/** Restores a discarded draft. Returns false if it was removed for good. */
export async function bringBack(id: string): Promise<boolean> {
  const restored = await changeStored(id, ({ discardedMs: _, ...draft }) => draft);
  announceDraft({ id, revision: '' });
  return restored !== undefined;
}

/** Removes a draft for good, here and on the server, unless it was restored or discarded again since that time. */
export async function removeForGood(id: string, discardedMs: number): Promise<void> {
  const draft = await findDraft(id);
  if (!(await removeDraft(id, (one) => one.discardedMs === discardedMs))) return;
  const { userName = null } = draft ?? {};
  await removeDiscardedCopy({ id, userName }, { agoMs: Date.now() - discardedMs });
  announceDraft({ id, revision: undefined });
}

async function removeDiscarded(): Promise<void> {
  for (const { id, discardedMs } of await listDrafts()) {
    if (discardedMs !== undefined && discardedMs < Date.now() - keepDiscardedMs) await removeForGood(id, discardedMs);
  }
}
