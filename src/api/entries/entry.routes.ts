import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore } from '../../attachments/blob-store.port.js';
import type { Permissions } from '../../auth/permissions.js';
import type { DeviceNames } from '../../entries/device-names.js';
import type { EntryExtensions } from '../../entries/entry-extensions.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import { groupEntries, ungroupEntries } from '../../entries/group-entries.js';
import { findReadable, findReadableVersion, listReadableArchived } from '../../entries/readable-entries.js';
import type { TextRenderer } from '../../entries/text-renderer.js';
import { entryNotFound, updateEntry } from '../../entries/update-entry.js';
import { sendJsonChunks } from '../../http/reply/json-stream.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { jsonArrayChunks } from '../../kernel/json-array.js';
import { writeOnce } from '../../kernel/write-once.js';
import { keyedRequest } from '../access/keyed-request.js';
import { principalOf } from '../access/request-principal.js';
import { createOnce } from './create-once.js';
import {
  createEntrySchema,
  type EntryInput,
  entrySchemas,
  getEntrySchema,
  groupEntriesSchema,
  ungroupEntriesSchema,
  updateEntrySchema,
} from './entry.schema.js';
import { toDraft, toRequestedAttachments } from './entry-input.js';
import {
  type CreateQuery,
  createOptions,
  isEntryId,
  parseEntryId,
  toReader,
  type UpdateQuery,
  updateOptions,
} from './entry-parameters.js';
import { sendCommitted } from './send-committed.js';
import { sendEntry, sendEntryIfModified, withCurrentTag } from './send-entry.js';
import { groupedEntries, storedEntries } from './stored-entries.js';
import { getArchivedEntrySchema, getVersionSchema } from './version.schema.js';

export interface EntryRoutesDeps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly texts: TextRenderer;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly extensions: EntryExtensions;
  readonly deviceNames: DeviceNames;
}

interface EntryParams {
  Params: { logId: string };
}

const write = { access: 'entries' } as const;

const pageOf = (params: unknown) => {
  const { logId } = params as EntryParams['Params'];
  return isEntryId(logId) ? `/entries/${Number(logId)}` : undefined;
};

/** Registers the routes that create, read, update and group entries. */
export async function entryRoutes(app: FastifyInstance, deps: EntryRoutesDeps): Promise<void> {
  for (const schema of entrySchemas) app.addSchema(schema);
  app.put('/logs', { config: write, schema: createEntrySchema }, createEntryHandler(deps));
  app.post('/logs/:logId', { config: write, schema: updateEntrySchema }, updateEntryHandler(deps));
  app.get('/logs/:logId', { config: { pageOf }, schema: getEntrySchema }, getEntryHandler(deps));
  app.get('/logs/archived/:logId', { schema: getArchivedEntrySchema }, getArchivedEntryHandler(deps));
  app.get('/logs/:logId/versions/:number', { schema: getVersionSchema }, getVersionHandler(deps));
  app.post('/logs/group', { config: write, schema: groupEntriesSchema }, groupingHandler(deps, groupEntries));
  app.post('/logs/ungroup', { config: write, schema: ungroupEntriesSchema }, groupingHandler(deps, ungroupEntries));
}

const createEntryHandler =
  (deps: EntryRoutesDeps) =>
  async (request: FastifyRequest<{ Body: EntryInput; Querystring: CreateQuery }>, reply: FastifyReply) => {
    const options = createOptions(request);
    const draft = toDraft(request.body);
    const attachments = attachmentsOfDraft(options, request.body);
    const create = { ...options, draft, attachments, uploads: [] };
    return sendEntry(reply, await createOnce(deps, request, create));
  };

const updateEntryHandler =
  (deps: EntryRoutesDeps) =>
  async (
    request: FastifyRequest<EntryParams & { Body: EntryInput; Querystring: UpdateQuery }>,
    reply: FastifyReply,
  ) => {
    const entryId = parseEntryId(request.params.logId);
    checkSameId(entryId, request.body.id);
    const draft = toDraft(request.body);
    const options = updateOptions(request);
    const attachments = attachmentsOfDraft(options, request.body);
    const edit = { ...options, entryId, draft, attachments, uploads: [] };
    const keyed = keyedRequest(request, deps);
    const updated = await withCurrentTag(reply, () =>
      writeOnce(deps.storage, keyed, storedEntries(deps, request), (storage) =>
        updateEntry({ ...deps, storage }, edit),
      ),
    );
    return sendEntry(reply, updated);
  };

const getEntryHandler =
  (deps: EntryRoutesDeps) => async (request: FastifyRequest<EntryParams>, reply: FastifyReply) => {
    const { entries } = deps.storage.committed;
    const entry = await findReadable(entries, toReader(request, deps), parseEntryId(request.params.logId));
    if (!entry) throw entryNotFound(request.params.logId);
    return sendEntryIfModified(request, reply, entry);
  };

const getArchivedEntryHandler =
  (deps: EntryRoutesDeps) => async (request: FastifyRequest<EntryParams>, reply: FastifyReply) => {
    const { entries } = deps.storage.committed;
    const id = parseEntryId(request.params.logId);
    const reader = toReader(request, deps);
    if (!(await findReadable(entries, reader, id))) throw entryNotFound(id);
    return sendJsonChunks(reply, archivedChunks(listReadableArchived(entries, reader, id)));
  };

const getVersionHandler =
  (deps: EntryRoutesDeps) =>
  async (request: FastifyRequest<{ Params: { logId: string; number: string } }>, reply: FastifyReply) => {
    const { logId, number } = request.params;
    const { entries } = deps.storage.committed;
    const version = await findReadableVersion(entries, toReader(request, deps), parseEntryId(logId), Number(number));
    if (version === 'no entry') throw entryNotFound(logId);
    if (version) return sendEntryIfModified(request, reply, version);
    throw new Fault(
      'missing',
      'entry.version-not-found',
      `Entry ${logId.slice(0, 40)} has no version ${quoted(number)} that you can read.`,
    );
  };

/** Adds entries to a group, or removes them from their groups. */
const groupingHandler =
  (deps: EntryRoutesDeps, change: typeof groupEntries) =>
  async (request: FastifyRequest<{ Body: (number | string)[] }>, reply: FastifyReply) => {
    const ids = request.body.map((id) => {
      if (isEntryId(String(id))) return Number(id);
      throw new Fault('invalid', 'group.unknown-entry', `Entry ${quoted(id)} not found; nothing was changed.`);
    });
    request.context.auditTarget = `entries ${ids.join(', ')}`;
    const author = principalOf(request);
    const grouped = await writeOnce(
      deps.storage,
      keyedRequest(request, deps),
      groupedEntries(deps, request),
      (storage) => change({ ...deps, storage }, author, ids),
    );
    return sendCommitted(reply, deps.storage.committed.entries, grouped);
  };

/**
 * Yields a search result with the given versions. They are counted while they are sent, because there may be too many
 * to hold in memory.
 */
async function* archivedChunks(versions: AsyncIterable<StoredEntry>): AsyncGenerator<Uint8Array> {
  let hitCount = 0;
  const documents = async function* () {
    for await (const version of versions) {
      hitCount += 1;
      yield version.json;
    }
  };
  yield Buffer.from('{"logs":');
  yield* jsonArrayChunks(documents());
  yield Buffer.from(`,"hitCount":${hitCount}}`);
}

/** Returns the files to take from a draft; undefined without a draft, because a JSON body contains no files. */
function attachmentsOfDraft({ draftId }: { readonly draftId: string | undefined }, input: EntryInput) {
  return draftId === undefined ? undefined : toRequestedAttachments(input);
}

function checkSameId(pathId: number, bodyId: number | string | null | undefined): void {
  if (bodyId === undefined || bodyId === null || bodyId === '' || String(bodyId) === String(pathId)) return;
  throw new Fault(
    'invalid',
    'entry.id-mismatch',
    `The URL names entry ${pathId}, but the body has the id ${quoted(bodyId)}. Send the id of the URL, or none.`,
  );
}
