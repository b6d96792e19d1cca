import type {} from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EntryRevision } from '../../search/search-index.port.js';
import type { SearchPositions } from '../../search/search-positions.port.js';
import type {} from '../entries/written-entry.js';

/**
 * Name of the header and the cookie that carry the position of a write to later searches of the same client on any
 * node.
 */
const name = 'Logbook-Position';
/** Lifetime of the cookie. After this time, every node has caught up or refuses searches. */
const cookieSeconds = 60;

/**
 * Adds the position of the last written entry to responses to writes. Searches with this header or cookie wait until
 * this node finds the entry. Must be called before the routes are registered.
 */
export function followSearchPositions(app: FastifyInstance, positions: SearchPositions): void {
  app.addHook('onSend', async (request, reply) => {
    const { written } = request.context;
    if (written) sendPosition(request, reply, written);
  });
  app.addHook('onRoute', (route) => {
    if (route.config?.cost !== 'search') return;
    const wait = async (request: FastifyRequest) => {
      const position = readPosition(request);
      if (position) await positions.waitFor(position);
    };
    // The search waits before its turn, so that it does not block other searches.
    route.preHandler = [wait, ...[route.preHandler ?? []].flat()];
  });
}

function sendPosition(request: FastifyRequest, reply: FastifyReply, { id, revision }: EntryRevision): void {
  const position = `${id}.${revision}`;
  reply.header(name, position);
  reply.setCookie(name, position, {
    path: '/',
    httpOnly: true,
    secure: request.protocol === 'https',
    sameSite: 'lax',
    maxAge: cookieSeconds,
  });
}

/** Returns undefined when there is none. An invalid position is ignored like an unknown cookie. */
function readPosition(request: FastifyRequest): EntryRevision | undefined {
  const given = request.headers[name.toLowerCase()] ?? request.cookies[name];
  const [, id, revision] = /^(\d{1,15})[.](\d{1,9})$/.exec(String(given)) ?? [];
  return id === undefined ? undefined : { id: Number(id), revision: Number(revision) };
}
