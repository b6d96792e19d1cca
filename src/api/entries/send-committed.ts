import type { FastifyReply } from 'fastify';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { streamChunks } from '../../http/reply/json-stream.js';
import type { EntryRevision } from '../../search/search-index.port.js';
import { noteWritten } from './written-entry.js';

/**
 * Responds with an array of entries that have just been committed. The entries are read while the client receives the
 * response, after its status was sent. If reading fails, the client sees an incomplete response instead of an error,
 * which would deny that the write was stored.
 */
export function sendCommitted(
  reply: FastifyReply,
  entries: EntryReader,
  revisions: readonly EntryRevision[],
): FastifyReply {
  const last = revisions.toSorted((one, other) => one.id - other.id).at(-1);
  if (last) noteWritten(reply.request, last);
  const body = streamChunks(reply, arrayOf(entries, revisions));
  return reply.type('application/json; charset=utf-8').send(body);
}

async function* arrayOf(entries: EntryReader, revisions: readonly EntryRevision[]): AsyncGenerator<Uint8Array> {
  let separator = '[';
  for (const { id, revision } of revisions) {
    yield Buffer.from(separator);
    const json = await entries.findJson(id, revision);
    if (!json) throw new Error(`revision ${revision} of entry ${id} is not stored`);
    yield json;
    separator = ',';
  }
  yield Buffer.from(']');
}
