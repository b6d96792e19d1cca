import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import { putTemplate, removeTemplate, type TemplateDraft, templateNotFound } from '../../entries/put-template.js';
import type { Template } from '../../entries/template.js';
import type { TextRenderer } from '../../entries/text-renderer.js';
import type { Clock } from '../../kernel/clock.js';
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
}

interface TemplateParams {
  Params: { logTemplateId: string };
}

const write = { access: 'templates' } as const;

/** Templates: prepared entries. */
export async function templateRoutes(app: FastifyInstance, deps: TemplateRoutesDeps): Promise<void> {
  for (const schema of templateSchemas) app.addSchema(schema);
  app.get('/templates', { schema: listTemplatesSchema }, listTemplatesHandler(deps));
  app.put('/templates', { config: write, schema: putTemplateSchema }, putTemplateHandler(deps));
  app.get('/templates/:logTemplateId', { schema: getTemplateSchema }, getTemplateHandler(deps));
  app.delete('/templates/:logTemplateId', { config: write, schema: deleteTemplateSchema }, deleteTemplateHandler(deps));
}

const listTemplatesHandler =
  ({ storage, permissions }: TemplateRoutesDeps) =>
  async (request: FastifyRequest) => {
    const all = await storage.committed.templates.list();
    return all.filter((template) => permissions.mayRead(request.principal, template)).map(toTemplateView);
  };

const putTemplateHandler =
  (deps: TemplateRoutesDeps) =>
  async (request: FastifyRequest<{ Body: TemplateInput; Querystring: { markup?: string } }>) => {
    const draft = toTemplateDraft(request.body);
    return toTemplateView(await putTemplate(deps, draft, principalOf(request), parseMarkup(request.query.markup)));
  };

const getTemplateHandler =
  ({ storage, permissions }: TemplateRoutesDeps) =>
  async (request: FastifyRequest<TemplateParams>) => {
    const template = await storage.committed.templates.find(request.params.logTemplateId);
    if (!template || !permissions.mayRead(request.principal, template))
      throw templateNotFound(request.params.logTemplateId);
    return toTemplateView(template);
  };

const deleteTemplateHandler =
  (deps: TemplateRoutesDeps) => async (request: FastifyRequest<TemplateParams>, reply: FastifyReply) => {
    await removeTemplate(deps, request.params.logTemplateId, principalOf(request));
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

function toTemplateView(template: Template): Template {
  const { id, name, owner, title, source, description, level, createdDate, modifyDate, modifiedBy } = template;
  const { logbooks, tags, properties } = template;
  return {
    id,
    name,
    owner,
    title,
    source,
    description,
    level,
    createdDate,
    modifyDate,
    modifiedBy,
    logbooks,
    tags,
    properties,
  };
}
