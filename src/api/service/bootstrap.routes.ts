import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { maxAttachments } from '../../attachments/attach-uploads.js';
import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import type { CatalogRevisions } from '../../catalog/catalog-storage.js';
import { defaultLevelName, listItems } from '../../catalog/edit-catalog.js';
import { draftLimits } from '../../drafts/draft.js';
import { entryLimits } from '../../entries/entry-draft.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { sendJsonChunks } from '../../http/reply/json-stream.js';
import { upTo } from '../../kernel/cache-limits.js';
import { nextSharedTurn } from '../../kernel/fair-turns.js';
import { encodeEach, jsonArrayChunks } from '../../kernel/json-array.js';
import { productVersion } from '../../kernel/product.js';
import { searchLimits } from '../../search/search-limits.js';
import { bootstrapSchemas, getBootstrapSchema } from './bootstrap.schema.js';
import { configurationChunks } from './configuration-chunks.js';
import { helpLanguages } from './help.js';

export interface BootstrapRoutesDeps {
  readonly storage: Pick<EntryStorage, 'committed'> & CatalogRevisions;
  readonly permissions: Permissions;
  /** IANA time zone. */
  readonly zone: string;
  /** Name of each shift and its start as `HH:MM`. */
  readonly shifts: readonly { readonly name: string; readonly start: string }[];
  /** The configured sources of the control system. */
  readonly deviceSources: readonly string[];
  readonly maxFileBytes: number;
  readonly maxRequestBytes: number;
  readonly maxEntryBytes: number;
  readonly maxDraftFileBytes: number;
}

/** Registers the route that returns everything that a client needs before its first page. */
export async function bootstrapRoutes(app: FastifyInstance, deps: BootstrapRoutesDeps): Promise<void> {
  for (const schema of bootstrapSchemas) app.addSchema(schema);
  const tagOf = entityTags(deps);
  app.get('/bootstrap', { schema: getBootstrapSchema }, async (request: FastifyRequest, reply: FastifyReply) => {
    // The tag is computed before anything is read, so that a concurrent change changes the tag of the next response.
    const etag = await tagOf(request.context.principal);
    reply.headers({ etag, 'cache-control': 'private, no-cache' });
    if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return sendJsonChunks(reply, bootstrapChunks(deps, request.context.principal));
  });
}

/** Maximum number of cached entity tags: one for each set of hidden logbooks and revision of the catalogue. */
const keptTags = 100;

/**
 * Returns a function that returns the entity tag of the response for a reader. The tag is a digest of the response, so
 * that it does not reveal changes that the reader may not see. It is cached for each revision of the catalogue and the
 * templates, so that nothing is read for a client with the current lists.
 */
function entityTags(deps: BootstrapRoutesDeps) {
  const tags = new LRUCache<string, string>(upTo(keptTags));
  return async (reader: Principal | undefined): Promise<string> => {
    const revision = await deps.storage.catalogRevision();
    const key = JSON.stringify([revision, deps.permissions.hiddenLogbooksFor(reader)]);
    const kept = tags.get(key);
    if (kept !== undefined) return kept;
    const hash = createHash('sha256');
    for await (const chunk of bootstrapChunks(deps, reader)) hash.update(chunk);
    const tag = `"${hash.digest('base64url').slice(0, 22)}"`;
    tags.set(key, tag);
    return tag;
  };
}

async function* bootstrapChunks(deps: BootstrapRoutesDeps, reader: Principal | undefined): AsyncGenerator<Uint8Array> {
  const { permissions, storage, zone, shifts, deviceSources } = deps;
  const { catalog } = storage.committed;
  const head = {
    version: productVersion,
    timeZone: zone,
    shifts,
    languages: helpLanguages,
    deviceSources,
    hasMeaning: true,
    limits: toLimits(deps),
    defaultLevel: await defaultLevelName(catalog),
  };
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"configuration":`);
  yield* configurationChunks(catalog, (name) => permissions.mayRead(reader, { logbooks: [{ name }] }));
  yield Buffer.from(',"properties":');
  yield* jsonArrayChunks(encodeEach(listItems(catalog, 'properties')));
  yield Buffer.from(',"templates":');
  yield* jsonArrayChunks(encodeEach(readableTemplateNames(deps, reader)));
  yield Buffer.from('}');
}

function toLimits({ maxFileBytes, maxRequestBytes, maxEntryBytes, maxDraftFileBytes }: BootstrapRoutesDeps) {
  return {
    maxFileSize: maxFileBytes,
    maxRequestSize: maxRequestBytes,
    maxEntrySize: maxEntryBytes,
    maxTitleLength: entryLimits.titleLength,
    maxNameLength: entryLimits.nameLength,
    maxAttributeValueLength: entryLimits.attributeValueLength,
    maxLogbooks: entryLimits.logbooks,
    maxTags: entryLimits.tags,
    maxProperties: entryLimits.properties,
    maxAttributes: entryLimits.attributes,
    maxEvents: entryLimits.events,
    maxAttachments,
    maxDrafts: draftLimits.drafts,
    maxDraftFilesSize: maxDraftFileBytes,
    maxPageSize: searchLimits.pageSize,
  };
}

/** Total size of the templates that are decoded in one turn of the event loop. */
const turnBytes = 262_144;

async function* readableTemplateNames({ storage, permissions }: BootstrapRoutesDeps, reader: Principal | undefined) {
  let bytes = 0;
  for await (const stored of storage.committed.templates.list()) {
    bytes += stored.json.byteLength;
    if (bytes > turnBytes) {
      await nextSharedTurn();
      bytes = 0;
    }
    const { template } = stored;
    if (permissions.mayRead(reader, template)) yield { id: template.id, name: template.name };
  }
}
