import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../../auth/accounts.js';
import type { Authenticator } from '../../auth/authenticator.js';
import { findReadable } from '../../entries/readable-entries.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault } from '../../kernel/fault.js';
import { asRecorded, writeOnce } from '../../kernel/write-once.js';
import {
  addWatch,
  listWatches,
  removeWatch,
  replaceWatch,
  type WatchDraft,
} from '../../notifications/inbox/edit-watches.js';
import type { InboxStorage } from '../../notifications/inbox/inbox-storage.js';
import type { Watch, WatchSubject } from '../../notifications/inbox/inbox-store.port.js';
import { countUnread, type ReadInboxDeps, type UnreadCounts } from '../../notifications/inbox/read-inbox.js';
import { keyedRequest } from '../access/keyed-request.js';
import { principalOf, signInNeeded } from '../access/request-principal.js';
import { requestCredentials } from '../access/session-cookie.js';
import {
  addWatchSchema,
  deleteWatchSchema,
  listWatchesSchema,
  putWatchSchema,
  type WatchInput,
} from './inbox.schema.js';

export interface WatchRoutesDeps extends ReadInboxDeps {
  readonly storage: InboxStorage;
  readonly authenticator: Pick<Authenticator, 'identifyAccount'>;
  readonly clock: Clock;
}

interface WatchParams {
  Params: { id: string };
}

/** Routes of the rules by which changes reach the inbox of a user. */
export async function watchRoutes(app: FastifyInstance, deps: WatchRoutesDeps): Promise<void> {
  // If logbooks are closed, a search determines which entries the user may read.
  const read = { access: 'password', cost: 'search' } as const;
  const write = { access: 'password' } as const;
  app.get('/me/watches', { config: read, schema: listWatchesSchema }, listHandler(deps));
  app.post('/me/watches', { config: write, schema: addWatchSchema }, addHandler(deps));
  app.put('/me/watches/:id', { config: write, schema: putWatchSchema }, putHandler(deps));
  app.delete('/me/watches/:id', { config: write, schema: deleteWatchSchema }, deleteHandler(deps));
}

const listHandler = (deps: WatchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const owner = principalOf(request);
  reply.header('cache-control', 'private, no-cache');
  const watches = await listWatches(deps.storage.committed.inbox, owner);
  const counts = await countUnread(deps, owner);
  return watches.map((watch) => toView(watch, counts));
};

const addHandler = (deps: WatchRoutesDeps) => async (request: FastifyRequest<{ Body: WatchInput }>) => {
  const draft = toDraft(request.body);
  await requireReadable(deps, request, draft.subject);
  const account = await identifyAccount(deps, request);
  const added = await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<Watch>(), (storage) =>
    addWatch(storage, account, draft),
  );
  request.context.auditTarget = `watch ${added.id}`;
  return toView(added, await countUnread(deps, principalOf(request)));
};

const putHandler = (deps: WatchRoutesDeps) => async (request: FastifyRequest<WatchParams & { Body: WatchInput }>) => {
  const draft = toDraft(request.body);
  await requireReadable(deps, request, draft.subject);
  const account = await identifyAccount(deps, request);
  const changed = await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<Watch>(), (storage) =>
    replaceWatch(storage, account, request.params.id, draft),
  );
  return toView(changed, await countUnread(deps, principalOf(request)));
};

const deleteHandler = (deps: WatchRoutesDeps) => async (request: FastifyRequest<WatchParams>, reply: FastifyReply) => {
  const owner = principalOf(request);
  await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<void>(), (storage) =>
    removeWatch(storage, owner, request.params.id),
  );
  return reply.send();
};

/**
 * Returns the user as the provider describes them, without the roles that the configuration grants, because the
 * configuration may change.
 */
async function identifyAccount({ authenticator }: WatchRoutesDeps, request: FastifyRequest): Promise<Account> {
  const account = await authenticator.identifyAccount(requestCredentials(request));
  if (!account) throw signInNeeded();
  return account;
}

/** @throws Fault missing `entry.not-found` for a thread of an entry that the user may not read */
async function requireReadable(
  { storage, permissions }: WatchRoutesDeps,
  request: FastifyRequest,
  subject: WatchSubject,
): Promise<void> {
  if (subject.kind !== 'thread') return;
  const { entryId } = subject;
  const reader = { permissions, principal: principalOf(request) };
  if (await findReadable(storage.committed.entries, reader, entryId)) return;
  throw new Fault('missing', 'entry.not-found', `Entry ${entryId} not found.`);
}

/** @throws Fault invalid `watch.incomplete` */
function toDraft({ kind, name = '', query, entryId, edits = false }: WatchInput): WatchDraft {
  if (kind === 'search') {
    if (query === undefined) throw incomplete('query', 'the parameters of a search, such as “text=trip”');
    return { name: name.trim(), subject: { kind, query }, edits };
  }
  if (kind === 'thread') {
    if (entryId === undefined) throw incomplete('entryId', 'the id of an entry of the thread');
    return { name: '', subject: { kind, entryId }, edits };
  }
  return { name: '', subject: { kind }, edits: false };
}

function incomplete(field: string, advice: string): Fault {
  return new Fault('invalid', 'watch.incomplete', `“${field}” is missing. Send ${advice}.`);
}

function toView({ id, name, subject, edits }: Watch, { byWatch }: UnreadCounts) {
  return { id, name, ...subject, edits, unread: byWatch.get(id) ?? 0 };
}
