import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';

const WelcomeSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the service.' }),
    version: Type.String({ description: 'Version of the service.' }),
    searchIndex: Type.Object(
      {
        status: Type.String({ description: '`Connected`, or the reason why it is not.' }),
        clusterName: Type.String(),
        clusterUuid: Type.String(),
        version: Type.String(),
        searchIndexHost: Type.String(),
        searchIndexPort: Type.String(),
        backend: Type.String({ description: 'The kind of the search index, and its servers with their states.' }),
      },
      { description: 'The search index backend.' },
    ),
    documentStore: Type.String({ description: 'The document store backend and its state.' }),
    attachmentStore: Type.String({ description: 'The store of attachment files and its state.' }),
    serverConfig: Type.Object(
      { maxFileSize: Type.Number(), maxRequestSize: Type.Number() },
      { description: 'Limits, in megabytes.' },
    ),
  },
  { $id: 'Welcome', description: 'The service and the state of its backends.' },
);

const ConfigurationSchema = Type.Object(
  {
    levels: Type.Array(Type.String(), { description: 'Names of the levels, the default level first.' }),
    logbooks: Type.Array(Type.Ref('Logbook'), { description: 'The active logbooks.' }),
    tags: Type.Array(Type.Ref('Tag'), { description: 'The active tags.' }),
  },
  { $id: 'Configuration', description: 'The levels, logbooks and tags that an entry can have.' },
);

export const serviceSchemas = [WelcomeSchema, ConfigurationSchema];

const tags = ['Service'];

export const getWelcomeSchema = {
  tags,
  operationId: 'getWelcome',
  summary: 'Get information about the service',
  description: 'Returns the version of the service, the state of its backends and its limits.',
  response: { 200: { ...Type.Ref('Welcome'), description: 'The service.' }, ...errorResponses(...readErrors) },
};

export const getConfigurationSchema = {
  tags,
  operationId: 'getConfiguration',
  summary: 'Get levels, logbooks and tags',
  description: 'Returns the levels, logbooks and tags that an entry can have.',
  response: { 200: { ...Type.Ref('Configuration'), description: 'The lists.' }, ...errorResponses(...readErrors) },
};

export const getHelpSchema = {
  tags,
  operationId: 'getHelp',
  summary: 'Get a help page',
  description: 'Returns a page as HTML, or null if there is no page with that name.',
  params: Type.Object({
    what: Type.String({ description: 'Name of the page.', examples: ['SearchHelp', 'CommonmarkCheatsheet'] }),
  }),
  querystring: Type.Object({
    lang: Type.Optional(
      Type.String({ description: 'Language; English if the page is not available in it.', examples: ['en'] }),
    ),
  }),
  response: {
    200: {
      description: 'The page, or null.',
      content: { 'text/html': { schema: Type.String() }, 'application/json': { schema: Type.Null() } },
    },
    ...errorResponses(...readErrors),
  },
};
