import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore, BlobStoreStatus } from '../../attachments/blob-store.port.js';
import type { CatalogStorage } from '../../catalog/catalog-storage.js';
import { sendJsonChunks } from '../../http/reply/json-stream.js';
import { productVersion } from '../../kernel/product.js';
import type { StorageStatusReader } from '../../kernel/storage-status.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import { configurationChunks } from './configuration-chunks.js';
import { findHelp } from './help.js';
import { helpRoutes } from './help.routes.js';
import { getConfigurationSchema, getHelpSchema, getWelcomeSchema, serviceSchemas } from './service.schema.js';

export interface ServiceRoutesDeps {
  readonly storage: Pick<CatalogStorage, 'committed'> & StorageStatusReader;
  readonly searchIndex: SearchIndex;
  readonly blobs: Pick<BlobStore, 'status'>;
  readonly maxFileBytes: number;
  readonly maxRequestBytes: number;
}

interface HelpRequest {
  Params: { what: string };
  Querystring: { lang?: string };
}

/** Registers the routes with information about the service, below the root path. */
export async function serviceRoutes(app: FastifyInstance, deps: ServiceRoutesDeps): Promise<void> {
  for (const schema of serviceSchemas) app.addSchema(schema);
  app.get('/', { schema: getWelcomeSchema }, getWelcomeHandler(deps));
  app.get('/configuration', { schema: getConfigurationSchema }, getConfigurationHandler(deps));
  await helpRoutes(app);
  app.get('/help/:what', { schema: getHelpSchema }, getHelp);
}

const getWelcomeHandler = (deps: ServiceRoutesDeps) => async () => {
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
      backend: describeStore({ engine: index.engine, servers: index.servers }),
    },
    documentStore: describeStore(store),
    attachmentStore: describeStore(await deps.blobs.status()),
    serverConfig: {
      maxFileSize: toMegabytes(deps.maxFileBytes),
      maxRequestSize: toMegabytes(deps.maxRequestBytes),
    },
  };
};

function describeStore({ engine, servers }: Pick<BlobStoreStatus, 'engine' | 'servers'>): string {
  const states = servers.map(({ address, state }) => `{address=${address}, state=${state}}`);
  return `type=${engine}, servers=[${states.join(', ')}]`;
}

const getConfigurationHandler =
  ({ storage }: ServiceRoutesDeps) =>
  async (_request: FastifyRequest, reply: FastifyReply) =>
    sendJsonChunks(reply, configurationChunks(storage.committed.catalog));

async function getHelp(request: FastifyRequest<HelpRequest>, reply: FastifyReply) {
  const page = await findHelp(request.params.what, request.query.lang ?? 'en');
  if (page === undefined) return reply.type('application/json; charset=utf-8').serializer(String).send(null);
  return reply.type('text/html; charset=utf-8').send(page);
}

function toMegabytes(bytes: number): number {
  return Math.round((bytes / 1_048_576) * 1_000) / 1_000;
}
