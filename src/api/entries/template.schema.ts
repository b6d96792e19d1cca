import { errorResponses, keyedWriteErrors, OptionalText, readErrors, signedIn } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';
import { keyedHeaders } from '../access/keyed-request.js';
import { sharedFields, sharedInputs } from './entry.schema.js';
import { markupQuery } from './markup.schema.js';

const TemplateSchema = Type.Object(
  {
    id: Type.String({ description: 'Assigned by the service, unless the client chose one.' }),
    name: Type.String({ description: 'Unique, ignoring case.' }),
    ...sharedFields,
  },
  { $id: 'Template', description: 'A prepared entry.' },
);

const TemplateInputSchema = Type.Object(
  {
    id: OptionalText('Id of the template to replace; default: a new template.'),
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
  {
    $id: 'TemplateInput',
    description: 'A template to store.',
    examples: [{ name: 'Shift start', title: 'Shift start', logbooks: [{ name: 'operations' }] }],
  },
);

export type TemplateInput = Static<typeof TemplateInputSchema>;

export const templateSchemas = [TemplateSchema, TemplateInputSchema];

const tags = ['Templates'];
const params = Type.Object({ logTemplateId: Type.String({ description: 'Id of the template.' }) });

export const listTemplatesSchema = {
  tags,
  operationId: 'listTemplates',
  summary: 'List the templates',
  description: 'Returns all templates, ordered by name.',
  response: {
    200: Type.Array(Type.Ref('Template'), { description: 'The templates.' }),
    ...errorResponses(...readErrors),
  },
};

export const putTemplateSchema = {
  tags,
  operationId: 'putTemplate',
  summary: 'Store a template',
  description: 'Adds a template, or replaces the one with the id in the body.',
  security: signedIn,
  querystring: Type.Object(markupQuery),
  headers: keyedHeaders,
  body: Type.Ref('TemplateInput'),
  response: {
    200: { ...Type.Ref('Template'), description: 'As stored.' },
    ...errorResponses(...keyedWriteErrors, 409),
  },
};

export const getTemplateSchema = {
  tags,
  operationId: 'getTemplate',
  summary: 'Get a template',
  description: 'Returns the template with this id.',
  params,
  response: { 200: { ...Type.Ref('Template'), description: 'The template.' }, ...errorResponses(...readErrors, 404) },
};

export const deleteTemplateSchema = {
  tags,
  operationId: 'deleteTemplate',
  summary: 'Delete a template',
  description: 'Deletes the template with this id.',
  security: signedIn,
  params,
  headers: keyedHeaders,
  response: {
    200: Type.Null({ description: 'The template was deleted.' }),
    ...errorResponses(...keyedWriteErrors, 404),
  },
};
