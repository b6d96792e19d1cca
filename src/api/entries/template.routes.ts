import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Permissions } from '../../auth/permissions.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import { putTemplate, removeTemplate, templateNotFound } from '../../entries/put-template.js';
import type { Template } from '../../entries/template.js';
import type { TextRenderer } from '../../entries/text-renderer.js';
import { errorResponses, OptionalText, signedIn, writeErrors } from '../../http/common.schema.js';
import type { Clock } from '../../kernel/clock.js';
import { principalOf } from '../access/request-principal.js';
import { sharedFields, sharedInputs, toSharedDraft } from './entry.schema.js';
import { markupOf, markupQuery } from './markup.schema.js';

const exampleInput = { name: 'Shift start', title: 'Shift start', logbooks: [{ name: 'operations' }] };

const TemplateSchema = Type.Object(
  {
    id: Type.String({ description: 'Given by the service, unless the sender chose one.' }),
    name: Type.String({ description: 'Unique, ignoring case.' }),
    ...sharedFields,
  },
  { $id: 'Template', description: 'A prepared entry.' },
);

const TemplateInputSchema = Type.Object(
  {
    id: OptionalText('Of the template to replace; absent: a new one.'),
    name: OptionalText('Unique, ignoring case; default: the title.'),
    title: OptionalText('The title.'),
    ...sharedInputs,
    logbooks: Type.Optional(
      Type.Unsafe<{ name: string }[] | null>({
        type: ['array', 'null'],
        maxItems: 2_000,
        items: Type.Object({ name: Type.String() }),
        description: 'Existing logbooks, by name.',
      }),
    ),
  },
  { $id: 'TemplateInput', description: 'A template to store.', examples: [exampleInput] },
);

const params = Type.Object({ id: Type.String({ description: 'Id of the template.', examples: ['shift-start'] }) });
const tags = ['Templates'];

export async function templateRoutes(
  app: FastifyInstance,
  deps: {
    readonly storage: EntryStorage;
    readonly texts: TextRenderer;
    readonly clock: Clock;
    readonly permissions: Permissions;
  },
): Promise<void> {
  const { permissions } = deps;
  const { templates } = deps.storage.committed;
  app.addSchema(TemplateSchema);
  app.addSchema(TemplateInputSchema);

  app.get(
    '/templates',
    {
      schema: {
        tags,
        operationId: 'listTemplates',
        summary: 'List the templates',
        description: 'Ordered by name; all of them.',
        response: {
          200: Type.Array(Type.Ref('Template'), { description: 'The templates.' }),
          ...errorResponses(401, 500),
        },
      },
    },
    async (request) => {
      const all = await templates.list();
      return all.filter((template) => permissions.mayRead(request.principal, template)).map(toTemplateView);
    },
  );

  app.put<{ Body: Static<typeof TemplateInputSchema>; Querystring: { markup?: string } }>(
    '/templates',
    {
      config: { access: 'templates' },
      schema: {
        tags,
        operationId: 'putTemplate',
        summary: 'Store a template',
        description: 'Adds a template, or replaces the one whose id the body names.',
        security: signedIn,
        querystring: Type.Object(markupQuery),
        body: Type.Ref('TemplateInput'),
        response: { 200: { ...Type.Ref('Template'), description: 'As stored.' }, ...errorResponses(...writeErrors) },
      },
    },
    async (request) => {
      const input = request.body;
      const draft = {
        ...toSharedDraft(input),
        id: input.id || undefined,
        name: input.name?.trim() || undefined,
        title: input.title ?? '',
        logbooks: (input.logbooks ?? []).map((logbook) => logbook.name),
      };
      return toTemplateView(await putTemplate(deps, draft, principalOf(request), markupOf(request.query.markup)));
    },
  );

  app.get<{ Params: { id: string } }>(
    '/templates/:id',
    {
      schema: {
        tags,
        operationId: 'getTemplate',
        summary: 'Get a template',
        description: 'By its id.',
        params,
        response: { 200: { ...Type.Ref('Template'), description: 'The template.' }, ...errorResponses(401, 404, 500) },
      },
    },
    async (request) => {
      const template = await templates.find(request.params.id);
      if (!template || !permissions.mayRead(request.principal, template)) throw templateNotFound(request.params.id);
      return toTemplateView(template);
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/templates/:id',
    {
      config: { access: 'templates' },
      schema: {
        tags,
        operationId: 'deleteTemplate',
        summary: 'Delete a template',
        description: 'Removes it.',
        security: signedIn,
        params,
        response: {
          200: Type.Null({ description: 'It is removed.' }),
          ...errorResponses(401, 403, 404, 429, 500, 503, 507),
        },
      },
    },
    async (request, reply) => {
      await removeTemplate(deps, request.params.id, principalOf(request));
      return reply.send();
    },
  );
}

function toTemplateView(template: Template): Template {
  const { id, name, owner, title, source, description, level, createdDate, modifyDate, modifiedBy } = template;
  const { logbooks, tags: templateTags, properties } = template;
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
    tags: templateTags,
    properties,
  };
}
