import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOwnedBy } from '../../auth/accounts.js';
import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import { sendJsonChunks } from '../../http/reply/json-stream.js';
import { encodeEach, jsonArrayChunks } from '../../kernel/json-array.js';
import { asRecorded, writeOnce } from '../../kernel/write-once.js';
import { addSearch, getSearch, removeSearch, replaceSearch, type SearchDraft } from '../../preferences/edit-search.js';
import type { SavedSearch } from '../../preferences/preference-store.port.js';
import { keyedRequest } from '../access/keyed-request.js';
import { principalOf } from '../access/request-principal.js';
import {
  addSearchSchema,
  deleteSearchSchema,
  getSearchSchema,
  listSearchesSchema,
  preferenceSchemas,
  putSearchSchema,
  type SavedSearchInput,
} from './preferences.schema.js';
import type { PreferenceRoutesDeps } from './settings.routes.js';

export interface SearchesRoutesDeps extends PreferenceRoutesDeps {
  readonly permissions: Pick<Permissions, 'rightsOf'>;
}

interface SearchParams {
  Params: { id: string };
}

/** Routes of searches that users save for themselves or for everyone. */
export async function searchesRoutes(app: FastifyInstance, deps: SearchesRoutesDeps): Promise<void> {
  for (const schema of preferenceSchemas) app.addSchema(schema);
  const read = { access: 'password' } as const;
  const write = { access: 'password' } as const;
  app.get('/me/searches', { config: read, schema: listSearchesSchema }, listSearchesHandler(deps));
  app.post('/me/searches', { config: write, schema: addSearchSchema }, addSearchHandler(deps));
  app.get('/me/searches/:id', { config: read, schema: getSearchSchema }, getSearchHandler(deps));
  app.put('/me/searches/:id', { config: write, schema: putSearchSchema }, putSearchHandler(deps));
  app.delete('/me/searches/:id', { config: write, schema: deleteSearchSchema }, deleteSearchHandler(deps));
}

const listSearchesHandler =
  ({ storage }: PreferenceRoutesDeps) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const reader = principalOf(request);
    reply.header('cache-control', 'private, no-cache');
    return sendJsonChunks(reply, jsonArrayChunks(encodeEach(listViews(storage.committed.preferences, reader))));
  };

async function* listViews(preferences: PreferenceRoutesDeps['storage']['committed']['preferences'], reader: Principal) {
  for await (const search of preferences.listSearches(reader)) yield toView(search, reader);
}

const addSearchHandler =
  (deps: PreferenceRoutesDeps) => async (request: FastifyRequest<{ Body: SavedSearchInput }>) => {
    const owner = principalOf(request);
    const added = await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<SavedSearch>(), (storage) =>
      addSearch(storage, owner, toDraft(request.body)),
    );
    request.context.auditTarget = `saved search ${added.id}`;
    return toView(added, owner);
  };

const getSearchHandler =
  ({ storage }: PreferenceRoutesDeps) =>
  async (request: FastifyRequest<SearchParams>) => {
    const reader = principalOf(request);
    return toView(await getSearch(storage.committed.preferences, reader, request.params.id), reader);
  };

const putSearchHandler =
  (deps: PreferenceRoutesDeps) => async (request: FastifyRequest<SearchParams & { Body: SavedSearchInput }>) => {
    const owner = principalOf(request);
    const changed = await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<SavedSearch>(), (storage) =>
      replaceSearch(storage, owner, request.params.id, toDraft(request.body)),
    );
    return toView(changed, owner);
  };

const deleteSearchHandler =
  (deps: SearchesRoutesDeps) => async (request: FastifyRequest<SearchParams>, reply: FastifyReply) => {
    const owner = principalOf(request);
    await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<void>(), (storage) =>
      removeSearch(storage, owner, request.params.id, deps.permissions.rightsOf(owner).includes('admin')),
    );
    return reply.send();
  };

function toDraft({ name, query, shared = false }: SavedSearchInput): SearchDraft {
  return { name, query, shared };
}

function toView({ id, owner, ownerName, name, query, shared }: SavedSearch, reader: Principal) {
  return { id, name, query, shared, owner: owner.userName, ownerName, own: isOwnedBy(reader, owner) };
}
