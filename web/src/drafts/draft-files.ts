import { apiUrl } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { Draft, DraftFile } from './draft.ts';
import { findDraft, findFile, storeFile } from './draft-store.ts';
import { deleteServerFile, listServerFiles, putServerDraft, uploadFile } from './server-drafts.ts';

/** Progress of the upload of a file. */
export interface UploadState {
  readonly sentBytes: number;
  readonly state: 'sending' | 'done' | 'stopped';
  readonly problem?: string | undefined;
}

let states: ReadonlyMap<string, UploadState> = new Map();
const listeners = new Set<() => void>();

export function watchUploads(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function readUploads(): ReadonlyMap<string, UploadState> {
  return states;
}

function setUpload(fileId: string, state: UploadState | undefined): void {
  const next = new Map(states);
  if (state) next.set(fileId, state);
  else next.delete(fileId);
  states = next;
  for (const listener of listeners) listener();
}

const running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();

export function stopUpload(fileId: string): void {
  running.get(fileId)?.abort.abort();
  setUpload(fileId, undefined);
}

/** The files whose bytes have to reach the server. */
export function addedFiles({ content }: Draft): DraftFile[] {
  return content.files.filter(({ from }) => from === 'added');
}

/**
 * Sends the files that the server does not have yet, one after the other, and continues where an earlier attempt ended.
 * The draft must be on the server. @throws ApiError
 */
export async function uploadFiles(draft: Draft, userName: string): Promise<void> {
  for (const file of addedFiles(draft)) await uploadOnce(draft.id, userName, file);
}

async function uploadOnce(draftId: string, userName: string, file: DraftFile): Promise<void> {
  const under = running.get(file.id);
  if (under) return under.done;
  const abort = new AbortController();
  const done = upload(draftId, userName, file, abort.signal).finally(() => running.delete(file.id));
  running.set(file.id, { abort, done });
  return done;
}

async function upload(draftId: string, userName: string, { id, name }: DraftFile, signal: AbortSignal): Promise<void> {
  const bytes = await findFile(draftId, id);
  // The file was added on another machine, so the server already has it.
  if (!bytes) return;
  let sentBytes = states.get(id)?.sentBytes ?? 0;
  const onProgress = (sent: number) => {
    sentBytes = sent;
    setUpload(id, { sentBytes, state: 'sending' });
  };
  try {
    await uploadFile({ draftId, userName, fileId: id, name, bytes, signal, onProgress });
    setUpload(id, { sentBytes: bytes.size, state: 'done' });
  } catch (error) {
    if (signal.aborted) return;
    const problem = error instanceof ApiError && !error.isTransient ? error.message : undefined;
    setUpload(id, { sentBytes, state: 'stopped', problem });
    throw error;
  }
}

/**
 * Makes sure that the server has the draft and all of its files.
 * @returns the state of the server's copy
 */
export async function completeServerDraft(draft: Draft, userName: string): Promise<NonNullable<Draft['server']>> {
  const known = draft.server?.userName === userName ? draft.server : undefined;
  const server = known ?? (await putNew(draft, userName));
  await uploadFiles(draft, userName);
  await removeFormerFiles(draft);
  return server;
}

/**
 * Removes the files from the server that were removed from the draft, because the entry gets every file of its draft. An
 * earlier removal may have failed, and a file that was replaced during its upload may arrive after its removal. A file
 * that another computer has just added stays: its name may not have arrived here yet.
 */
export async function removeFormerFiles(draft: Draft): Promise<void> {
  // Earlier content may be sent first; a file that was added since belongs to the later content.
  const current = (await findDraft(draft.id)) ?? draft;
  const kept = new Set([draft, current].flatMap(addedFiles).map(({ id }) => id));
  const removed = new Set([draft, current].flatMap(({ removedFiles }) => removedFiles ?? []));
  for (const { id } of await listServerFiles(draft.id)) {
    if (kept.has(id)) continue;
    // Earlier clients did not record what was removed, but kept the bytes of each file that was added in this browser.
    if (removed.has(id) || (await findFile(draft.id, id))) await deleteServerFile(draft.id, id);
  }
}

async function putNew(draft: Draft, userName: string): Promise<NonNullable<Draft['server']>> {
  try {
    return { userName, etag: await putServerDraft(draft, undefined, userName), revision: draft.revision };
  } catch (error) {
    // The server has it already: the answer to an earlier request was lost.
    if (error instanceof ApiError && error.status === 412) return { userName, etag: '', revision: draft.revision };
    throw error;
  }
}

/** Returns the bytes of a file of a draft, from this browser or else from the server. */
export async function readDraftFile(draftId: string, fileId: string): Promise<Blob | undefined> {
  const stored = await findFile(draftId, fileId);
  if (stored) return stored;
  const url = apiUrl(`/drafts/${draftId}/attachments/${encodeURIComponent(fileId)}/content`);
  const response = await fetch(url).catch(() => undefined);
  return response?.ok ? response.blob() : undefined;
}

export async function copyFiles(fromDraftId: string, to: Draft): Promise<void> {
  for (const { id } of addedFiles(to)) {
    const bytes = await readDraftFile(fromDraftId, id);
    if (bytes) await storeFile(to.id, id, bytes);
  }
}
