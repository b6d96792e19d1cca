import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import { listWatches } from '../../notifications/inbox/edit-watches.js';
import type { InboxStorage } from '../../notifications/inbox/inbox-storage.js';
import { countUnread, listInbox, type ReadInboxDeps, type ShownItem } from '../../notifications/inbox/read-inbox.js';
import { principalOf } from '../access/request-principal.js';
import { type InboxQuery, type InboxRead, inboxSchemas, listInboxSchema, readInboxSchema } from './inbox.schema.js';

export interface InboxRoutesDeps extends ReadInboxDeps {
  readonly storage: InboxStorage;
}

/** Registers the routes of the changes that concern a user. */
export async function inboxRoutes(app: FastifyInstance, deps: InboxRoutesDeps): Promise<void> {
  for (const schema of inboxSchemas) app.addSchema(schema);
  // If logbooks are closed, a search determines which entries the user may read.
  const read = { access: 'password', cost: 'search' } as const;
  const write = { access: 'password', audit: 'none' } as const;
  app.get('/me/inbox', { config: read, schema: listInboxSchema }, listHandler(deps));
  app.post('/me/inbox/read', { config: write, schema: readInboxSchema }, readHandler(deps));
}

const listHandler =
  (deps: InboxRoutesDeps) => async (request: FastifyRequest<{ Querystring: InboxQuery }>, reply: FastifyReply) => {
    const { size = 30, before, watch: watchId } = request.query;
    const owner = principalOf(request);
    reply.header('cache-control', 'private, no-cache');
    const { total: unread } = await countUnread(deps, owner);
    const { items, next = null } = await listInbox(deps, owner, { size, before, watchId });
    const watches = await unlessDamaged(() => listWatches(deps.storage.committed.inbox, owner));
    // Damaged watches do not prevent the rest from being shown.
    return { unread, watches: watches === 'damaged' ? 0 : watches.length, items: items.map(toView), next };
  };

const readHandler = (deps: InboxRoutesDeps) => async (request: FastifyRequest<{ Body: InboxRead }>) => {
  const { ids = [], upTo } = request.body;
  const owner = principalOf(request);
  await deps.storage.write(async ({ inbox }) => {
    if (ids.length > 0) await inbox.markRead(owner, ids);
    if (upTo !== undefined) await inbox.markReadUpTo(owner, upTo);
  });
  return { unread: (await countUnread(deps, owner)).total };
};

function toView({ item: { id, change, atMs, isRead, reasons }, entry }: ShownItem) {
  const { title, level, owner, ownerName, logbooks } = entry;
  const shown = { id: entry.id, title, level, owner, ownerName, logbooks: logbooks.map((logbook) => logbook.name) };
  return { id, change, date: atMs, read: isRead, reasons, entry: shown };
}
