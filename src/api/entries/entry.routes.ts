import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { BlobStore } from '../../attachments/blob-store.port.js';
import type { Permissions } from '../../auth/permissions.js';
import { createEntry } from '../../entries/create-entry.js';
import type { EntryExtensions } from '../../entries/entry-extensions.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import { groupEntries } from '../../entries/group-entries.js';
import { findReadable, listReadableArchived, type Reader } from '../../entries/readable-entries.js';
import type { TextRenderer } from '../../entries/text-renderer.js';
import { entryNotFound, updateEntry, type VersionCheck } from '../../entries/update-entry.js';
import { errorResponses, signedIn, writeErrors } from '../../http/common.schema.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { drained } from '../../http/reply/drained.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { streamChunks } from '../../http/reply/json-stream.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { jsonArrayChunks } from '../../kernel/json-array.js';
import { principalOf } from '../access/request-principal.js';
import { type EntryInput, entrySchemas, toDraft } from './entry.schema.js';
import { markupOf, markupQuery } from './markup.schema.js';

export interface EntryRoutesDeps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly texts: TextRenderer;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly extensions: EntryExtensions;
}

export const entryTags = ['Entries'];
export const idParams = Type.Object({ logId: Type.String({ description: 'Id of the entry.', examples: ['42'] }) });
export const entryResponse = { ...Type.Ref('Entry'), description: 'The entry as stored.' };

export const createQuery = Type.Object({
  ...markupQuery,
  inReplyTo: Type.Optional(Type.String({ description: 'Id of the entry that this one answers.', examples: ['41'] })),
  notifyWsClients: Type.Optional(
    Type.Boolean({ description: 'Whether open clients are told of it at once.', default: true }),
  ),
});
export const updateQuery = Type.Object({
  ...markupQuery,
  notifyWsClients: Type.Optional(
    Type.Boolean({ description: 'Whether open clients are told of it at once.', default: true }),
  ),
});
const clientInfoHeader = {
  'x-logbook-client-info': Type.Optional(
    Type.String({
      description: 'Name and version of the client, for the log of the service.',
      examples: ['shift-script 1.2'],
    }),
  ),
};
export const createHeaders = Type.Object({
  ...clientInfoHeader,
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'Of your choice, for one entry: sent again with the same key, the first result comes back and nothing is stored twice.',
      minLength: 1,
      maxLength: 255,
      examples: ['7f2c1d9a-import-0042'],
    }),
  ),
});
export const updateHeaders = Type.Object({
  ...clientInfoHeader,
  'if-match': Type.Optional(
    Type.String({
      description: 'The `ETag` of the version that you read: the update fails if the entry changed since.',
      examples: ['"3"'],
    }),
  ),
});

export interface CreateQuery {
  readonly markup?: string;
  readonly inReplyTo?: string;
  readonly notifyWsClients?: boolean;
}

export type UpdateQuery = Omit<CreateQuery, 'inReplyTo'>;

/** Creating, reading, editing and grouping entries without files. */
export async function entryRoutes(app: FastifyInstance, deps: EntryRoutesDeps): Promise<void> {
  const { entries } = deps.storage.committed;
  for (const schema of entrySchemas) app.addSchema(schema);

  app.put<{ Body: EntryInput; Querystring: CreateQuery }>(
    '/logs',
    {
      config: { access: 'entries' },
      schema: {
        tags: entryTags,
        operationId: 'createEntry',
        summary: 'Create an entry',
        description: 'Without attachments; those in the body are ignored.',
        security: signedIn,
        querystring: createQuery,
        headers: createHeaders,
        body: Type.Ref('EntryInput'),
        response: { 200: entryResponse, ...errorResponses(...writeErrors) },
      },
    },
    async (request, reply) =>
      sendEntry(
        reply,
        await createEntry(deps, {
          ...createOptions(request),
          draft: toDraft(request.body),
          attachments: undefined,
          uploads: [],
        }),
      ),
  );

  app.post<{ Body: EntryInput; Params: { logId: string }; Querystring: UpdateQuery }>(
    '/logs/:logId',
    {
      config: { access: 'entries' },
      schema: {
        tags: entryTags,
        operationId: 'updateEntry',
        summary: 'Update an entry',
        description:
          'Stores the entry as sent and archives it as it was. Owner, creation date, events, attachments and group stay.',
        security: signedIn,
        params: idParams,
        querystring: updateQuery,
        headers: updateHeaders,
        body: Type.Ref('EntryInput'),
        response: { 200: entryResponse, ...errorResponses(...writeErrors, 404, 412) },
      },
    },
    async (request, reply) => {
      const entryId = parseEntryId(request.params.logId);
      checkSameId(entryId, request.body.id);
      const updated = await updateEntry(deps, {
        ...updateOptions(request),
        entryId,
        draft: toDraft(request.body),
        attachments: undefined,
        uploads: [],
      });
      return sendEntry(reply, updated);
    },
  );

  app.get<{ Params: { logId: string } }>(
    '/logs/:logId',
    {
      schema: {
        tags: entryTags,
        operationId: 'getEntry',
        summary: 'Get an entry',
        description: 'As it stands now. Its `ETag` can be sent back as `If-Match` with an update.',
        params: idParams,
        response: { 200: entryResponse, ...errorResponses(401, 404, 500, 503) },
      },
    },
    async (request, reply) => {
      const entry = await findReadable(entries, readerOf(request, deps), parseEntryId(request.params.logId));
      if (!entry) throw entryNotFound(request.params.logId);
      reply.header('cache-control', 'no-cache');
      if (matchesEntityTag(request.headers['if-none-match'], etagOf(entry))) {
        return reply.header('etag', etagOf(entry)).code(304).send();
      }
      return sendEntry(reply, entry);
    },
  );

  app.get<{ Params: { logId: string } }>(
    '/logs/archived/:logId',
    {
      schema: {
        tags: entryTags,
        operationId: 'getArchivedEntry',
        summary: 'Get the earlier versions of an entry',
        description: 'What edits replaced, newest first; none if it was never edited.',
        params: idParams,
        response: {
          200: { ...Type.Ref('SearchResult'), description: 'The versions.' },
          ...errorResponses(401, 404, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const id = parseEntryId(request.params.logId);
      const reader = readerOf(request, deps);
      if (!(await findReadable(entries, reader, id))) throw entryNotFound(id);
      let hitCount = 0;
      const versions = async function* () {
        for await (const version of listReadableArchived(entries, reader, id)) {
          hitCount += 1;
          yield version.json;
        }
      };
      const pieces = async function* () {
        yield Buffer.from('{"logs":');
        yield* jsonArrayChunks(versions());
        yield Buffer.from(`,"hitCount":${hitCount}}`);
      };
      return sendChunks(reply, pieces());
    },
  );

  app.post<{ Body: (number | string)[] }>(
    '/logs/group',
    {
      config: { access: 'entries' },
      schema: {
        tags: entryTags,
        operationId: 'groupEntries',
        summary: 'Group entries',
        description:
          'Ties entries together by the property `Log Entry Group`. Those that are in a group already pull the others in.',
        security: signedIn,
        body: Type.Array(Type.Unsafe<number | string>({ type: ['integer', 'string'] }), {
          description: 'Ids of at least two entries.',
          maxItems: 1_000,
          examples: [[41, 42]],
        }),
        response: {
          200: Type.Array(Type.Ref('Entry'), { description: 'The grouped entries.' }),
          ...errorResponses(...writeErrors),
        },
      },
    },
    async (request, reply) => {
      const ids = request.body.map((id) => {
        if (/^\d{1,15}$/.test(String(id))) return Number(id);
        throw new Fault('invalid', 'group.unknown-entry', `There is no entry ${quoted(id)}; nothing was grouped.`);
      });
      request.auditTarget = `entries ${ids.join(', ')}`;
      const grouped = await groupEntries(deps, principalOf(request), ids);
      return sendChunks(reply, jsonArrayChunks(Readable.from(grouped.map(({ json }) => json))));
    },
  );
}

export function readerOf(request: FastifyRequest, { permissions }: EntryRoutesDeps): Reader {
  return { permissions, principal: request.principal };
}

export function sendEntry(reply: FastifyReply, entry: StoredEntry) {
  reply.request.auditTarget = `entry ${entry.id}`;
  reply.header('etag', etagOf(entry));
  return reply.type(jsonType).send(entry.json);
}

const jsonType = 'application/json; charset=utf-8';

function sendChunks(reply: FastifyReply, chunks: AsyncIterable<Uint8Array>) {
  const gone = clientDisconnected(reply);
  return reply.type(jsonType).send(streamChunks(chunks, () => drained(reply.raw, gone)));
}

export function createOptions(request: FastifyRequest<{ Querystring: CreateQuery }>) {
  const { markup, inReplyTo, notifyWsClients } = request.query;
  return {
    author: principalOf(request),
    markup: markupOf(markup),
    inReplyTo: inReplyTo?.trim() ? parseParentId(inReplyTo.trim()) : undefined,
    notify: notifyWsClients !== false,
    idempotencyKey: request.headers['idempotency-key'] as string | undefined,
  };
}

export function updateOptions(request: FastifyRequest<{ Querystring: UpdateQuery }>) {
  const { markup, notifyWsClients } = request.query;
  return {
    editor: principalOf(request),
    markup: markupOf(markup),
    notify: notifyWsClients !== false,
    expects: parseIfMatch(request.headers['if-match']),
  };
}

/** @throws Fault missing `entry.not-found`: what is no number is no entry's id */
export function parseEntryId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw entryNotFound(text);
  return Number(text);
}

function parseParentId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Fault('invalid', 'entry.unknown-parent', `There is no entry ${quoted(text)} to reply to.`);
}

function checkSameId(pathId: number, bodyId: number | string | null | undefined): void {
  if (bodyId === undefined || bodyId === null || bodyId === '' || String(bodyId) === String(pathId)) return;
  throw new Fault(
    'invalid',
    'entry.id-mismatch',
    `The address names entry ${pathId}, the body entry ${quoted(bodyId)}. Send the id of the address, or none.`,
  );
}

function etagOf(entry: StoredEntry): string {
  return `"${entry.version}"`;
}

function parseIfMatch(header: string | undefined): VersionCheck {
  return (version) => header === undefined || matchesEntityTag(header, `"${version}"`);
}
