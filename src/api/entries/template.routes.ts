import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import { putTemplate, removeTemplate, type TemplateDraft, templateNotFound } from '../../entries/put-template.js';
import { encodeTemplate, type StoredTemplate, type Template } from '../../entries/template.js';
import type { TextRenderer } from '../../entries/text-renderer.js';
import { sendJsonChunks } from '../../http/reply/json-stream.js';
import type { Clock } from '../../kernel/clock.js';
import { jsonArrayChunks } from '../../kernel/json-array.js';
import type { ListLimits } from '../../kernel/list-limits.js';
import { asRecorded, writeOnce } from '../../kernel/write-once.js';
import { keyedRequest } from '../access/keyed-request.js';
import { principalOf } from '../access/request-principal.js';
import { toSharedDraft } from './entry-input.js';
import { parseMarkup } from './markup.schema.js';
import {
  deleteTemplateSchema,
  getTemplateSchema,
  listTemplatesSchema,
  putTemplateSchema,
  type TemplateInput,
  templateSchemas,
} from './template.schema.js';

export interface TemplateRoutesDeps {
  readonly storage: EntryStorage;
  readonly texts: TextRenderer;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly templateLimits: ListLimits;
}

interface TemplateParams {
  Params: { logTemplateId: string };
}

const write = { access: 'templates' } as const;

/** Registers the routes of templates, which are prepared entries. */
export async function templateRoutes(app: FastifyInstance, deps: TemplateRoutesDeps): Promise<void> {
  for (const schema of templateSchemas) app.addSchema(schema);
  app.get('/templates', { schema: listTemplatesSchema }, listTemplatesHandler(deps));
  app.put('/templates', { config: write, schema: putTemplateSchema }, putTemplateHandler(deps));
  app.get('/templates/:logTemplateId', { schema: getTemplateSchema }, getTemplateHandler(deps));
  app.delete('/templates/:logTemplateId', { config: write, schema: deleteTemplateSchema }, deleteTemplateHandler(deps));
}

const json = 'application/json; charset=utf-8';

const listTemplatesHandler = (deps: TemplateRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) =>
  sendJsonChunks(reply, jsonArrayChunks(readableTemplates(deps, request)));

/** Yields the JSON of the templates that the sender of the request may read. */
async function* readableTemplates(deps: TemplateRoutesDeps, request: FastifyRequest): AsyncGenerator<Uint8Array> {
  for await (const stored of deps.storage.committed.templates.list()) {
    if (mayRead(deps, request, stored)) yield stored.json;
  }
}

/** Decodes the template only when the result depends on the reader. */
function mayRead({ permissions }: TemplateRoutesDeps, request: FastifyRequest, stored: StoredTemplate): boolean {
  return !permissions.hasReadRestrictions || permissions.mayRead(request.context.principal, stored.template);
}

const putTemplateHandler =
  (deps: TemplateRoutesDeps) =>
  async (request: FastifyRequest<{ Body: TemplateInput; Querystring: { markup?: string } }>, reply: FastifyReply) => {
    const draft = toTemplateDraft(request.body);
    const author = principalOf(request);
    const markup = parseMarkup(request.query.markup);
    const template = await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<Template>(), (storage) =>
      putTemplate({ ...deps, storage }, draft, author, markup),
    );
    return reply.type(json).send(encodeTemplate(template));
  };

const getTemplateHandler =
  (deps: TemplateRoutesDeps) => async (request: FastifyRequest<TemplateParams>, reply: FastifyReply) => {
    const { logTemplateId } = request.params;
    const stored = await deps.storage.committed.templates.find(logTemplateId);
    if (!stored || !mayRead(deps, request, stored)) throw templateNotFound(logTemplateId);
    return reply.type(json).send(stored.json);
  };

const deleteTemplateHandler =
  (deps: TemplateRoutesDeps) => async (request: FastifyRequest<TemplateParams>, reply: FastifyReply) => {
    const author = principalOf(request);
    await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<void>(), (storage) =>
      removeTemplate({ ...deps, storage }, request.params.logTemplateId, author),
    );
    return reply.send();
  };

function toTemplateDraft(input: TemplateInput): TemplateDraft {
  return {
    ...toSharedDraft(input),
    id: input.id || undefined,
    name: input.name?.trim() || undefined,
    title: input.title ?? '',
    logbooks: (input.logbooks ?? []).map((logbook) => logbook.name),
  };
}
