import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DraftSummary, draftLimits, draftNotFound } from '../../drafts/draft.js';
import { DraftMismatch, type EditDraftDeps, putDraft, removeDraft } from '../../drafts/edit-draft.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { Fault } from '../../kernel/fault.js';
import { asRecorded, writeOnce } from '../../kernel/write-once.js';
import { keyedRequest } from '../access/keyed-request.js';
import { principalOf } from '../access/request-principal.js';
import { type DraftParams, draftIdOf, toEntityTag, toRevisionCheck } from './draft-parameters.js';
import { deleteDraftSchema, draftSchemas, getDraftSchema, listDraftsSchema, putDraftSchema } from './drafts.schema.js';

const dayMs = 86_400_000;
const write = { access: 'entries', audit: 'none' } as const;
const read = { access: 'own-drafts' } as const;

/** Routes of drafts, which only their owners can see. */
export async function draftRoutes(app: FastifyInstance, deps: EditDraftDeps): Promise<void> {
  for (const schema of draftSchemas) app.addSchema(schema);
  const url = '/drafts/:draftId';
  app.get('/drafts', { config: read, schema: listDraftsSchema }, listDraftsHandler(deps));
  app.get(url, { config: read, schema: getDraftSchema }, getDraftHandler(deps));
  app.put(url, { config: write, schema: putDraftSchema }, putDraftHandler(deps));
  app.delete(url, { config: write, schema: deleteDraftSchema }, deleteDraftHandler(deps));
}

const listDraftsHandler =
  ({ storage }: EditDraftDeps) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store');
    return (await storage.committed.drafts.list(principalOf(request))).map(toDraftView);
  };

const getDraftHandler =
  ({ storage }: EditDraftDeps) =>
  async (request: FastifyRequest<DraftParams>, reply: FastifyReply) => {
    const draft = await storage.committed.drafts.find(principalOf(request), draftIdOf(request));
    if (!draft) throw draftNotFound(draftIdOf(request));
    const etag = toEntityTag(draft.revision);
    reply.headers({ etag, 'cache-control': 'private, no-cache' });
    if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(draft.json);
  };

const putDraftHandler =
  (deps: EditDraftDeps) => async (request: FastifyRequest<DraftParams & { Body: unknown }>, reply: FastifyReply) => {
    const owner = principalOf(request);
    const id = draftIdOf(request);
    if (request.body === undefined) {
      throw new Fault('invalid', 'draft.empty', 'The request has no body. Send the content of the draft as JSON.');
    }
    const change = { id, content: request.body };
    const draft = await withCurrentRevision(reply, () =>
      writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<DraftSummary>(), (storage) =>
        putDraft({ ...deps, storage }, owner, change, toRevisionCheck(request)),
      ),
    );
    reply.header('etag', toEntityTag(draft.revision));
    return toDraftView(draft);
  };

const deleteDraftHandler =
  (deps: EditDraftDeps) => async (request: FastifyRequest<DraftParams>, reply: FastifyReply) => {
    const owner = principalOf(request);
    const expects = toRevisionCheck(request);
    await withCurrentRevision(reply, () =>
      writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<void>(), (storage) =>
        removeDraft({ ...deps, storage }, owner, draftIdOf(request), expects),
      ),
    );
    return reply.send();
  };

/** Runs a change. If the content was changed concurrently, the error carries the `ETag` of the current content. */
async function withCurrentRevision<T>(reply: FastifyReply, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof DraftMismatch && error.current) reply.header('etag', toEntityTag(error.current.revision));
    throw error;
  }
}

function toDraftView({ id, title, modifiedMs, size, attachments }: DraftSummary) {
  const expiresDate = modifiedMs + draftLimits.days * dayMs;
  return { id, title, modifiedDate: modifiedMs, expiresDate, size, attachments };
}
