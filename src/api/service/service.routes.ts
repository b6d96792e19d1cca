import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { CatalogStorage } from '../../catalog/catalog-storage.js';
import { listItems } from '../../catalog/edit-catalog.js';
import { errorResponses } from '../../http/common.schema.js';
import { productVersion } from '../../kernel/product.js';
import type { StatusSource } from '../../kernel/storage-status.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import { findHelp } from './help.js';

export interface ServiceRoutesDeps {
  readonly storage: Pick<CatalogStorage, 'committed'> & StatusSource;
  readonly searchIndex: SearchIndex;
  readonly maxFileBytes: number;
  readonly maxRequestBytes: number;
}

const tags = ['Service'];

const WelcomeSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the service.' }),
    version: Type.String({ description: 'Version of the service.' }),
    searchIndex: Type.Object(
      {
        status: Type.String({ description: '`Connected`, or the reason why not.' }),
        clusterName: Type.String(),
        clusterUuid: Type.String(),
        version: Type.String(),
        searchIndexHost: Type.String(),
        searchIndexPort: Type.String(),
      },
      { description: 'The search index backend.' },
    ),
    documentStore: Type.String({ description: 'The document store backend and its state.' }),
    serverConfig: Type.Object(
      { maxFileSize: Type.Number(), maxRequestSize: Type.Number() },
      { description: 'Limits, in megabytes.' },
    ),
  },
  { $id: 'Welcome', description: 'What the service is and how it is.' },
);

const ConfigurationSchema = Type.Object(
  {
    levels: Type.Array(Type.String(), { description: 'Names of the levels, the default one first.' }),
    logbooks: Type.Array(Type.Ref('Logbook'), { description: 'The active logbooks.' }),
    tags: Type.Array(Type.Ref('Tag'), { description: 'The active tags.' }),
  },
  { $id: 'Configuration', description: 'What an entry can be filed under.' },
);

/** What the service says of itself, below the root path. */
export async function serviceRoutes(app: FastifyInstance, deps: ServiceRoutesDeps): Promise<void> {
  const { catalog } = deps.storage.committed;
  app.addSchema(WelcomeSchema);
  app.addSchema(ConfigurationSchema);

  app.get(
    '/',
    {
      schema: {
        tags,
        operationId: 'getWelcome',
        summary: 'Get what the service is',
        description: 'Its version, the state of its backends and its limits.',
        response: { 200: { ...Type.Ref('Welcome'), description: 'The service.' }, ...errorResponses(401, 500) },
      },
    },
    async () => {
      const index = await deps.searchIndex.status();
      const store = await deps.storage.status();
      return {
        name: 'Logbook Service',
        version: productVersion,
        searchIndex: {
          status: index.status,
          clusterName: index.clusterName,
          clusterUuid: index.clusterId,
          version: index.version,
          searchIndexHost: index.host,
          searchIndexPort: index.port,
        },
        documentStore: `type=${store.engine}, servers=[{address=${store.address}, state=${store.state}}]`,
        serverConfig: {
          maxFileSize: megabytes(deps.maxFileBytes),
          maxRequestSize: megabytes(deps.maxRequestBytes),
        },
      };
    },
  );

  app.get(
    '/configuration',
    {
      schema: {
        tags,
        operationId: 'getConfiguration',
        summary: 'Get levels, logbooks and tags',
        description: 'What an entry can be filed under.',
        response: { 200: { ...Type.Ref('Configuration'), description: 'The lists.' }, ...errorResponses(401, 500) },
      },
    },
    async () => {
      const levels = await listItems(catalog, 'levels');
      const first = levels.find((level) => level.defaultLevel)?.name ?? 'Info';
      return {
        levels: [...new Set([first, ...levels.map((level) => level.name)])],
        logbooks: await listItems(catalog, 'logbooks'),
        tags: await listItems(catalog, 'tags'),
      };
    },
  );

  app.get<{ Params: { what: string }; Querystring: { lang?: string } }>(
    '/help/:what',
    {
      schema: {
        tags,
        operationId: 'getHelp',
        summary: 'Get a help page',
        description: 'A page as HTML, or null when there is none of that name.',
        params: Type.Object({
          what: Type.String({ description: 'Which page.', examples: ['SearchHelp', 'CommonmarkCheatsheet'] }),
        }),
        querystring: Type.Object({
          lang: Type.Optional(
            Type.String({ description: 'Language; where it is missing, English.', examples: ['en'] }),
          ),
        }),
        response: {
          200: {
            description: 'The page, or null.',
            content: { 'text/html': { schema: Type.String() }, 'application/json': { schema: Type.Null() } },
          },
          ...errorResponses(401, 500),
        },
      },
    },
    async (request, reply) => {
      const page = await findHelp(request.params.what, request.query.lang ?? 'en');
      if (page === undefined) return reply.type('application/json; charset=utf-8').serializer(String).send(null);
      return reply.type('text/html; charset=utf-8').send(page);
    },
  );
}

function megabytes(bytes: number): number {
  return Math.round((bytes / 1_048_576) * 1_000) / 1_000;
}
