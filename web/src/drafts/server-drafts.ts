import { api, apiUrl, dataOf, forUser } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { type Draft, type DraftContent, type DraftPurpose, draftName } from './draft.ts';

/** Draft as the server stores it. Its name is a separate field, so that the server can list drafts by name. */
export interface ServerDraft {
  readonly title: string;
  readonly purpose: DraftPurpose;
  readonly content: DraftContent;
  readonly revision: string;
  readonly modifiedMs: number;
  readonly templateName?: string | undefined;
  readonly removedFiles?: readonly string[] | undefined;
}

export interface ServerDraftSummary {
  readonly id: string;
  readonly title: string | null;
  readonly modifiedDate: number;
  readonly attachments: number;
}

/** Returns the draft of the user and its entity tag; undefined when the server has none. */
export async function fetchServerDraft(
  id: string,
  userName: string,
): Promise<{ draft: ServerDraft; etag: string } | undefined> {
  try {
    const answer = await api.GET('/drafts/{draftId}', {
      params: { path: { draftId: id } },
      headers: forUser(userName),
    });
    const draft = dataOf<ServerDraft>(answer);
    return draft.content === undefined ? undefined : { draft, etag: answer.response.headers.get('etag') ?? '' };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

export async function listServerDrafts(userName: string, signal?: AbortSignal): Promise<ServerDraftSummary[]> {
  return dataOf(await api.GET('/drafts', { headers: forUser(userName), ...(signal && { signal }) }));
}

/**
 * Stores the draft on the server for this user, unless the server's copy has changed.
 * @param etag of the server's copy; undefined: it has none
 * @returns the new entity tag
 * @throws ApiError 412 with the server's copy under `current`
 */
export async function putServerDraft(draft: Draft, etag: string | undefined, userName: string): Promise<string> {
  const { id, purpose, content, revision, modifiedMs, templateName, removedFiles } = draft;
  const about = { purpose, revision, modifiedMs, templateName };
  const body: ServerDraft = { title: draftName(draft), ...about, content, removedFiles };
  const header = etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag };
  const params = { path: { draftId: id }, header };
  const { response } = await api.PUT('/drafts/{draftId}', { params, body, headers: forUser(userName) });
  return response.headers.get('etag') ?? '';
}

export async function deleteServerDraft(id: string): Promise<void> {
  await ignoringMissing(api.DELETE('/drafts/{draftId}', { params: { path: { draftId: id } } }));
}

export async function deleteServerFile(draftId: string, attachmentId: string): Promise<void> {
  const path = { draftId, attachmentId };
  await ignoringMissing(api.DELETE('/drafts/{draftId}/attachments/{attachmentId}', { params: { path } }));
}

async function ignoringMissing(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

const smallestPart = 512 * 1024;
const maxParts = 900;

export interface FileUpload {
  readonly draftId: string;
  /** Owner of the draft. */
  readonly userName: string;
  readonly fileId: string;
  readonly name: string;
  readonly bytes: Blob;
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
}

/** Sends the file in parts, and continues where an earlier attempt ended. */
export async function uploadFile(upload: FileUpload): Promise<void> {
  const { bytes, onProgress } = upload;
  const state = await receivedBytes(upload);
  if (state.complete) return onProgress(bytes.size);
  if (bytes.size === 0) return sendPart(upload, undefined, bytes);
  const partSize = Math.max(smallestPart, Math.ceil(bytes.size / maxParts));
  for (let start = state.received; start < bytes.size; start += partSize) {
    onProgress(start);
    const end = Math.min(start + partSize, bytes.size);
    await sendPart(upload, `bytes ${start}-${end - 1}/${bytes.size}`, bytes.slice(start, end));
  }
  if (state.received >= bytes.size) await sendPart(upload, `bytes */${bytes.size}`, undefined);
  onProgress(bytes.size);
}

interface ServerFile {
  readonly id: string;
  readonly received: number;
  readonly complete: boolean;
  readonly size: number;
}

/** Returns the files of a draft that the server has, or has begun to receive. */
export async function listServerFiles(draftId: string, signal?: AbortSignal): Promise<ServerFile[]> {
  const params = { path: { draftId } };
  return dataOf(await api.GET('/drafts/{draftId}/attachments', { params, ...(signal && { signal }) }));
}

async function receivedBytes({ draftId, fileId, bytes, signal }: FileUpload) {
  const files = await listServerFiles(draftId, signal);
  return files.find(({ id, size }) => id === fileId && size === bytes.size) ?? { received: 0, complete: false };
}

async function sendPart(upload: FileUpload, range: string | undefined, body: Blob | undefined): Promise<void> {
  const { draftId, userName, fileId, name, signal } = upload;
  const url = apiUrl(`/drafts/${draftId}/attachments/${encodeURIComponent(fileId)}`, { filename: name });
  const headers = {
    ...forUser(userName),
    'content-type': 'application/octet-stream',
    ...(range !== undefined && { 'content-range': range }),
  };
  const response = await fetch(url, { method: 'PUT', headers, signal, body: body ?? null }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw ApiError.unreachable();
  });
  if (!response.ok) throw await ApiError.of(response);
}
