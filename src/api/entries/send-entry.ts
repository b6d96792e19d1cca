import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredEntry } from '../../entries/entry-json.js';
import { RevisionMismatch } from '../../entries/update-entry.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { noteWritten } from './written-entry.js';

/** Sends an entry as it is stored, with its `ETag`, and makes it the target of the audit record. */
export function sendEntry(reply: FastifyReply, entry: StoredEntry) {
  reply.request.context.auditTarget = `entry ${entry.id}`;
  noteWritten(reply.request, entry);
  reply.header('etag', toEntityTag(entry));
  return reply.type('application/json; charset=utf-8').send(entry.json);
}

/** Responds with 304 when the client already has this revision of the entry; otherwise sends the entry. */
export function sendEntryIfModified(request: FastifyRequest, reply: FastifyReply, entry: StoredEntry) {
  reply.header('cache-control', 'no-cache');
  const etag = toEntityTag(entry);
  if (!matchesEntityTag(request.headers['if-none-match'], etag)) return sendEntry(reply, entry);
  return reply.header('etag', etag).code(304).send();
}

/** Runs an edit. If the edited version is no longer current, the error carries the `ETag` of the current one. */
export async function withCurrentTag<T>(reply: FastifyReply, edit: () => Promise<T>): Promise<T> {
  try {
    return await edit();
  } catch (error) {
    if (error instanceof RevisionMismatch) reply.header('etag', toEntityTag(error.current));
    throw error;
  }
}

function toEntityTag({ revision }: StoredEntry): string {
  return `"${revision}"`;
}
