import type { FastifyReply } from 'fastify';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { streamChunks } from '../../http/reply/json-stream.js';
import { noteWritten } from './written-entry.js';

/** Identifies one version of an entry. */
interface VersionOf {
  readonly id: number;
  readonly version: number;
}

/**
 * Responds with an array of versions that have just been committed. Each is read when the client has consumed the one
 * before. The status is sent before the first one is read: if a version cannot be read, the client sees an incomplete
 * response instead of an error, which would deny that the write was stored.
 */
export function sendCommitted(reply: FastifyReply, entries: EntryReader, versions: readonly VersionOf[]): FastifyReply {
  const last = versions.toSorted((one, other) => one.id - other.id).at(-1);
  if (last) noteWritten(reply.request, last);
  const body = streamChunks(reply, arrayOf(entries, versions));
  return reply.type('application/json; charset=utf-8').send(body);
}

async function* arrayOf(entries: EntryReader, versions: readonly VersionOf[]): AsyncGenerator<Uint8Array> {
  let separator = '[';
  for (const { id, version } of versions) {
    yield Buffer.from(separator);
    const json = await entries.findJson(id, version);
    if (!json) throw new Error(`version ${version} of entry ${id} is not stored`);
    yield json;
    separator = ',';
  }
  yield Buffer.from(']');
}
