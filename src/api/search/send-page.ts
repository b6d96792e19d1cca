import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { streamChunks } from '../../http/reply/json-stream.js';
import { framePage } from '../../search/page-frame.js';
import type { PageView } from '../../search/page-view.js';
import type { Query } from '../../search/query.js';
import type { PageEntries, SearchIndex, SearchPage } from '../../search/search-index.port.js';
import { pageChunks, shownChunks } from '../../search/stream-page.js';

export interface SendPageDeps {
  readonly searchIndex: SearchIndex;
  readonly entries: EntryReader;
}

interface FoundPage {
  readonly query: Query;
  readonly view: PageView | undefined;
  readonly page: SearchPage;
}

const json = 'application/json; charset=utf-8';

/** Sends the entries of a page as an array. */
export function sendPage(reply: FastifyReply, deps: SendPageDeps, found: FoundPage): FastifyReply {
  return reply.type(json).send(pageJson(reply, deps, found, { before: '', after: '' }));
}

/**
 * Sends a page as a search result object.
 * @param more the additional fields of the object
 */
export function sendResult(
  reply: FastifyReply,
  deps: SendPageDeps,
  found: FoundPage,
  more: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  const before = `{"hitCount":${found.page.hitCount},"logs":`;
  const after = Object.entries(more)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`);
  return reply.type(json).send(pageJson(reply, deps, found, { before, after: `${after.join('')}}` }));
}

/** Size above which a page is written in parts, so that other requests are served in between. */
const longPageBytes = 262_144;
const pieceBytes = 65_536;

async function* piecesOf(page: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < page.byteLength; at += pieceBytes) yield page.subarray(at, at + pieceBytes);
}

/**
 * Returns the entries of a page as a JSON array, with text before and after it. A long page is read while it is sent.
 */
function pageJson(
  reply: FastifyReply,
  deps: SendPageDeps,
  { query, view, page: { entries } }: FoundPage,
  { before, after }: { readonly before: string; readonly after: string },
): Buffer | Readable {
  if (entries.kind === 'joined') {
    const page = framePage(entries.json, before, after);
    if (entries.free) reply.raw.once('finish', entries.free);
    if (page.byteLength <= longPageBytes) {
      if (!entries.free) reply.repeatedBody = { bytes: entries.json, frame: JSON.stringify([before, after]) };
      return page;
    }
    reply.header('content-length', page.byteLength);
    return streamChunks(reply, piecesOf(page));
  }
  const chunks = async function* () {
    if (before !== '') yield Buffer.from(before);
    yield* longPageChunks(reply, deps, { query, view }, entries);
    if (after !== '') yield Buffer.from(after);
  };
  return streamChunks(reply, chunks());
}

function longPageChunks(
  reply: FastifyReply,
  { searchIndex, entries: reader }: SendPageDeps,
  { query, view }: Pick<FoundPage, 'query' | 'view'>,
  entries: PageEntries,
): AsyncGenerator<Uint8Array> {
  if (entries.kind !== 'begun' || !view) return pageChunks(entries, reader);
  const signal = clientDisconnected(reply);
  return shownChunks(entries, (versions) =>
    reply.server.admission.inTurn(reply.request, reply, 'page', () =>
      searchIndex.show({ query, view }, versions, { signal }),
    ),
  );
}
