import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountKey } from '../../auth/accounts.js';
import { type DraftFile, draftFileNotFound, draftNotFound } from '../../drafts/draft.js';
import type { DraftFileKey } from '../../drafts/draft-store.port.js';
import {
  checkPart,
  type FilePart,
  getFile,
  type ReceiveFileDeps,
  removeDraftFile,
  reportFile,
  storePart,
} from '../../drafts/receive-file.js';
import { decodeFileName } from '../../kernel/file-name.js';
import { principalOf } from '../access/request-principal.js';
import { type FileQuery, sendFile } from '../entries/send-file.js';
import { badRange, type ContentRange, parseContentRange } from './content-range.js';
import { type DraftFileParams, type DraftParams, draftIdOf } from './draft-parameters.js';
import {
  deleteDraftFileSchema,
  getDraftFileContentSchema,
  getDraftFileSchema,
  listDraftFilesSchema,
  putDraftFileSchema,
} from './drafts.schema.js';
import { type BodyLimits, leaveBodiesToHandlers, withStagedBody } from './stage-body.js';

export interface DraftFileRoutesDeps extends ReceiveFileDeps {
  readonly multipart: BodyLimits;
}

interface PutFile extends DraftFileParams {
  Querystring: { filename?: string; fileMetadataDescription?: string };
}

const read = { access: 'own-drafts' } as const;
const write = { access: 'entries', audit: 'none' } as const;

/** Routes of the files of drafts, which can be sent in parts. */
export async function draftFileRoutes(app: FastifyInstance, deps: DraftFileRoutesDeps): Promise<void> {
  const all = '/drafts/:draftId/attachments';
  const one = `${all}/:attachmentId`;
  app.get(all, { config: read, schema: listDraftFilesSchema }, listFilesHandler(deps));
  app.get(one, { config: read, schema: getDraftFileSchema }, getFileHandler(deps));
  const download = { ...read, cost: 'download' } as const;
  app.get(`${one}/content`, { config: download, schema: getDraftFileContentSchema }, getContentHandler(deps));
  app.delete(one, { config: write, schema: deleteDraftFileSchema }, deleteFileHandler(deps));
  await app.register(async (scope) => {
    leaveBodiesToHandlers(scope);
    const config = { ...write, cost: 'upload' } as const;
    scope.put(one, { config, schema: putDraftFileSchema }, putFileHandler(deps));
  });
}

const listFilesHandler =
  ({ storage }: DraftFileRoutesDeps) =>
  async (request: FastifyRequest<DraftParams>, reply: FastifyReply) => {
    const owner: AccountKey = principalOf(request);
    const { drafts } = storage.committed;
    const id = draftIdOf(request);
    const files = await drafts.listFiles(owner, id);
    if (files.length === 0 && (await drafts.findRevision(owner, id)) === undefined) throw draftNotFound(id);
    reply.header('cache-control', 'no-store');
    return files.map(toFileView);
  };

const getFileHandler =
  ({ storage }: DraftFileRoutesDeps) =>
  async (request: FastifyRequest<DraftFileParams>, reply: FastifyReply) =>
    sendFileState(reply, await getFile(storage.committed.drafts, fileKeyOf(request)));

const getContentHandler =
  ({ storage, blobs }: DraftFileRoutesDeps) =>
  async (request: FastifyRequest<DraftFileParams & { Querystring: FileQuery }>, reply: FastifyReply) => {
    const file = await getFile(storage.committed.drafts, fileKeyOf(request));
    if (!file.complete) throw draftFileNotFound(file.id);
    const { id, filename, size } = file;
    const content = { id, filename, size, fileMetadataDescription: '', ...file.complete };
    return sendFile(request, reply, blobs, content, { isPermanent: false });
  };

const putFileHandler = (deps: DraftFileRoutesDeps) => async (request: FastifyRequest<PutFile>, reply: FastifyReply) => {
  const fileKey = fileKeyOf(request);
  const range = parseContentRange(request.headers['content-range']);
  if (range === 'query') return sendFileState(reply, await reportFile(deps, fileKey));
  const part = toPart(request, range, Number(request.headers['content-length'] ?? 0));
  // The part is checked before its body, which may be long, is received.
  await checkPart(deps, deps.storage.committed.drafts, fileKey, part);
  const file = await withStagedBody(request, deps.blobs, deps.multipart, async (blob) => {
    if (range && blob.size !== range.end - range.start + 1) {
      throw badRange(`the body has ${blob.size} bytes, but the header names ${range.end - range.start + 1}`);
    }
    return storePart(deps, fileKey, range ? part : { ...part, total: blob.size }, blob);
  });
  return sendFileState(reply, file);
};

const deleteFileHandler =
  (deps: DraftFileRoutesDeps) => async (request: FastifyRequest<DraftFileParams>, reply: FastifyReply) => {
    await removeDraftFile(deps, fileKeyOf(request));
    return reply.send();
  };

function fileKeyOf(request: FastifyRequest<DraftFileParams>): DraftFileKey {
  return { owner: principalOf(request), draftId: draftIdOf(request), fileId: request.params.attachmentId };
}

function toPart({ query }: FastifyRequest<PutFile>, range: ContentRange | undefined, bodyBytes: number): FilePart {
  const { filename = '', fileMetadataDescription } = query;
  const { start, total } = range ?? { start: 0, total: bodyBytes };
  return { filename: decodeFileName(filename) || undefined, fileMetadataDescription, start, total };
}

/** Responds with 202 while a part of the file is missing. */
function sendFileState(reply: FastifyReply, file: DraftFile) {
  if (file.received > 0) reply.header('range', `bytes=0-${file.received - 1}`);
  if (!file.complete && reply.request.method === 'PUT') reply.code(202);
  reply.header('cache-control', 'no-store');
  return reply.send(toFileView(file));
}

function toFileView({ id, filename, fileMetadataDescription, size, received, complete }: DraftFile) {
  return {
    id,
    filename,
    fileMetadataDescription: fileMetadataDescription ?? null,
    size,
    received,
    complete: complete !== undefined,
    contentType: complete?.contentType ?? null,
    checksum: complete?.checksum ?? null,
    width: complete?.width,
    height: complete?.height,
  };
}
