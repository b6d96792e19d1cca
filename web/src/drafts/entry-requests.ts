import { api, dataOf, forUser } from '../api/api.ts';
import { groupPropertyName } from '../api/group-property.ts';
import type { Entry } from '../api/types.ts';
import type { Draft, DraftContent, EditBase } from './draft.ts';
import { addedFiles, readDraftFile } from './draft-files.ts';

/** Returns the parts of an entry that a person can change. */
export function contentOf(entry: Entry): DraftContent {
  return {
    title: entry.title,
    text: entry.source,
    level: entry.level,
    logbooks: entry.logbooks.map(({ name }) => name),
    tags: entry.tags.map(({ name }) => name),
    properties: entry.properties
      .filter(({ name }) => name !== groupPropertyName)
      .map(({ name, attributes }) => ({
        name,
        attributes: attributes.map((attribute) => ({ name: attribute.name, value: attribute.value ?? '' })),
      })),
    events: entry.events.map(({ name, instant }) => ({ name, instant })),
    files: (entry.attachments as (Entry['attachments'][number] & { width?: number; height?: number })[]).map((one) => ({
      id: one.id,
      name: one.filename,
      size: one.size ?? 0,
      type: one.contentType ?? '',
      width: one.width,
      height: one.height,
      from: 'entry',
    })),
  };
}

/** An entry, and the version from which an edit of it begins. */
export interface EntryBase extends EditBase {
  readonly entry: Entry;
}

/** Fetches the version of an entry on which an edit is based. */
export async function fetchBase(entryId: number): Promise<EntryBase> {
  return toBase(await api.GET('/logs/{logId}', { params: { path: { logId: String(entryId) } } }));
}

function toBase(answer: { readonly data?: unknown; readonly response: Response }): EntryBase {
  const entry = dataOf<Entry>(answer);
  const etag = answer.response.headers.get('etag') ?? '';
  return {
    entryId: entry.id,
    etag,
    version: entry.version ?? (Number(etag.replace(/\D/g, '')) || 1),
    content: contentOf(entry),
    entry,
  };
}

export async function fetchVersion(entryId: number, version: string): Promise<DraftContent> {
  const path = { logId: String(entryId), number: version };
  return contentOf(dataOf<Entry>(await api.GET('/logs/{logId}/versions/{number}', { params: { path } })));
}

/** Returns the entry in the form that the API takes. */
export function toInput(content: DraftContent, id?: number) {
  const { title, text, level, logbooks, tags, properties, events, files } = content;
  return {
    ...(id !== undefined && { id }),
    title: title.trim(),
    source: text,
    // The service derives it from the source, except when an edit empties the text.
    ...(text === '' && { description: '' }),
    ...(level !== '' && { level }),
    logbooks: logbooks.map((name) => ({ name })),
    tags: tags.map((name) => ({ name })),
    properties: properties.map(({ name, attributes }) => ({ name, attributes: [...attributes] })),
    events: [...events],
    attachments: files.map((file) => ({ id: file.id, filename: file.name })),
  };
}

export interface SubmitOptions {
  readonly key: string;
  /** Name of the author. */
  readonly userName: string;
  /** Whether the server has the draft. The entry then takes over its files, and the draft is removed. */
  readonly withServerDraft: boolean;
  /** Whether the request continues after the page has gone, as far as the browser allows it. */
  readonly keepalive?: boolean;
}

/**
 * Puts a reply to entry 0 into a thread with it, because `inReplyTo=0` in a request means no reply. Only an old server
 * had an entry 0. Repeating the call changes nothing.
 */
export async function joinThread(parentId: number, replyId: number): Promise<void> {
  if (parentId === 0) await api.POST('/logs/group', { body: [parentId, replyId] });
}

/**
 * Creates or changes the entry, and returns the resulting version. The same key never creates a second entry, and a
 * repeated reply joins its thread.
 * @throws ApiError
 */
export async function submitEntry(draft: Draft, content: DraftContent, options: SubmitOptions): Promise<EntryBase> {
  const sent = await sendEntry(draft, content, options);
  if (draft.purpose.kind === 'reply') await joinThread(draft.purpose.to, sent.entryId);
  return sent;
}

async function sendEntry(draft: Draft, content: DraftContent, options: SubmitOptions): Promise<EntryBase> {
  const { key, userName, withServerDraft, keepalive = false } = options;
  const { purpose, id } = draft;
  const headers = forUser(userName);
  const submitted = withServerDraft ? { draft: id } : {};
  const isForm = !withServerDraft && (addedFiles(draft).length > 0 || purpose.kind === 'edit');
  if (isForm) return submitForm(draft, content, options);
  if (purpose.kind === 'edit') {
    const { entryId, etag } = purpose.base;
    const params = { path: { logId: String(entryId) }, query: submitted, header: { 'if-match': etag } };
    return toBase(await api.POST('/logs/{logId}', { params, body: toInput(content, entryId), headers, keepalive }));
  }
  const query = { ...submitted, ...(purpose.kind === 'reply' && { inReplyTo: String(purpose.to) }) };
  const params = { query, header: { 'idempotency-key': key } };
  return toBase(await api.PUT('/logs', { params, body: toInput(content), headers, keepalive }));
}

/** Edits an entry whose files stay. @throws ApiError 412 if it was changed since */
export async function submitEdit({ entryId, etag }: EditBase, content: DraftContent): Promise<Entry> {
  const params = { path: { logId: String(entryId) }, header: { 'if-match': etag } };
  return dataOf(await api.POST('/logs/{logId}', { params, body: toInput(content, entryId) }));
}

/** Sends entry and files in one form: for an edit with other files, or if the server accepts no more drafts. */
async function submitForm(draft: Draft, content: DraftContent, { key, userName }: SubmitOptions): Promise<EntryBase> {
  const { purpose } = draft;
  const form = new FormData();
  const id = purpose.kind === 'edit' ? purpose.base.entryId : undefined;
  form.append('logEntry', new Blob([JSON.stringify(toInput(content, id))], { type: 'application/json' }));
  for (const file of addedFiles(draft)) {
    const bytes = await readDraftFile(draft.id, file.id);
    if (bytes) form.append('files', bytes, file.name);
  }
  const headers = forUser(userName);
  const asForm = { body: form as never, bodySerializer: (body: unknown) => body as FormData, headers };
  if (purpose.kind === 'edit') {
    return toBase(
      await api.POST('/logs/multipart', { params: { header: { 'if-match': purpose.base.etag } }, ...asForm }),
    );
  }
  const query = purpose.kind === 'reply' ? { inReplyTo: String(purpose.to) } : {};
  return toBase(await api.PUT('/logs/multipart', { params: { query, header: { 'idempotency-key': key } }, ...asForm }));
}
