import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { checkFilename } from '../../attachments/attachment.js';
import { createEntry } from '../../entries/create-entry.js';
import { findAttachment } from '../../entries/find-attachment.js';
import { mayReadAttachment } from '../../entries/readable-entries.js';
import { addAttachment, updateEntry } from '../../entries/update-entry.js';
import { errorResponses, signedIn, writeErrors } from '../../http/common.schema.js';
import { parseJson } from '../../http/request/json-body.js';
import { jsonValidator } from '../../http/request/schema-validator.js';
import { Fault, quoted } from '../../kernel/fault.js';
import {
  type CreateQuery,
  createHeaders,
  createOptions,
  createQuery,
  type EntryRoutesDeps,
  entryResponse,
  entryTags,
  idParams,
  parseEntryId,
  readerOf,
  sendEntry,
  type UpdateQuery,
  updateHeaders,
  updateOptions,
  updateQuery,
} from './entry.routes.js';
import { type EntryInput, toDraft, toRequestedAttachments } from './entry.schema.js';
import { type FormParts, type MultipartForm, type MultipartLimits, withMultipartForm } from './multipart-form.js';
import { sendFile } from './send-file.js';

export interface EntryFilesRoutesDeps extends EntryRoutesDeps {
  readonly multipart: MultipartLimits;
}

const attachmentTags = ['Attachments'];
const fileResponse = {
  description: 'The file; a `Range` of it with 206.',
  content: { 'application/octet-stream': { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } },
};

/** Entries with files, and the files themselves. */
export async function entryFilesRoutes(app: FastifyInstance, deps: EntryFilesRoutesDeps): Promise<void> {
  await app.register((scope) => multipartRoutes(scope, deps));

  app.get<{ Params: { logId: string; attachmentName: string } }>(
    '/logs/attachments/:logId/:attachmentName',
    {
      schema: {
        tags: attachmentTags,
        operationId: 'getAttachmentByName',
        summary: 'Get a file of an entry',
        description: 'By its file name; one that an edit removed is found too.',
        params: Type.Object({
          logId: Type.String({ description: 'Id of the entry.', examples: ['42'] }),
          attachmentName: Type.String({ description: 'File name of the attachment.', examples: ['trip.csv'] }),
        }),
        response: { 200: fileResponse, ...errorResponses(401, 404, 500, 503) },
      },
    },
    async (request, reply) => {
      const { logId, attachmentName } = request.params;
      const file = await findAttachment(
        deps.storage.committed.entries,
        readerOf(request, deps),
        parseEntryId(logId),
        attachmentName,
      );
      return sendFile(request, reply, deps.blobs, file);
    },
  );

  app.get<{ Params: { attachmentId: string } }>(
    '/attachment/:attachmentId',
    {
      schema: {
        tags: attachmentTags,
        operationId: 'getAttachment',
        summary: 'Get a file',
        description: 'By the id of the attachment.',
        params: Type.Object({
          attachmentId: Type.String({ description: 'Id of the attachment.', examples: ['trip-data-1'] }),
        }),
        response: { 200: fileResponse, ...errorResponses(401, 404, 500, 503) },
      },
    },
    async (request, reply) => {
      const { attachmentId } = request.params;
      const { committed } = deps.storage;
      const file = await committed.attachments.find(attachmentId);
      if (!file || !(await mayReadAttachment(committed, readerOf(request, deps), attachmentId)))
        throw new Fault('missing', 'attachment.not-found', `There is no attachment ${quoted(attachmentId)}.`);
      return sendFile(request, reply, deps.blobs, file);
    },
  );
}

const formBody = (properties: object, required: string[]) => ({
  content: { 'multipart/form-data': { schema: { type: 'object', properties, required } } },
});
const entryParts: FormParts = { files: 'files', fields: ['logEntry'] };
const attachmentParts: FormParts = { files: 'file', fields: ['filename', 'id', 'fileMetadataDescription'] };
const binary = { type: 'string', format: 'binary' };
const entryForm = formBody(
  {
    logEntry: { ...Type.Ref('EntryInput'), description: 'The entry, as application/json.' },
    files: { type: 'array', items: binary, description: 'A part for each new attachment, with its file name.' },
  },
  ['logEntry'],
);

async function multipartRoutes(app: FastifyInstance, deps: EntryFilesRoutesDeps): Promise<void> {
  app.removeAllContentTypeParsers();
  const validateEntry = jsonValidator<EntryInput>(app, { $ref: 'EntryInput#' });
  // The handler reads the body itself, as it arrives.
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));

  app.put<{ Querystring: CreateQuery }>(
    '/logs/multipart',
    {
      config: { access: 'entries' },
      schema: {
        tags: entryTags,
        operationId: 'createEntryWithFiles',
        summary: 'Create an entry with files',
        description:
          'The file name of each `files` part equals the `filename` of one of the attachments of `logEntry`.',
        security: signedIn,
        consumes: ['multipart/form-data'],
        querystring: createQuery,
        headers: createHeaders,
        body: entryForm,
        response: { 200: entryResponse, ...errorResponses(...writeErrors, 409) },
      },
    },
    async (request, reply) => {
      const options = createOptions(request);
      return withForm(request, entryParts, async (form) => {
        const input = entryOf(form, validateEntry);
        const { uploads } = form;
        const attachments = toRequestedAttachments(input);
        return sendEntry(reply, await createEntry(deps, { ...options, draft: toDraft(input), attachments, uploads }));
      });
    },
  );

  app.post<{ Querystring: UpdateQuery }>(
    '/logs/multipart',
    {
      config: { access: 'entries' },
      schema: {
        tags: entryTags,
        operationId: 'updateEntryWithFiles',
        summary: 'Update an entry and its files',
        description:
          'As an update; `attachments` of `logEntry` is the complete list afterwards: new ones with their files, kept ones with their ids. Without that list the files stay.',
        security: signedIn,
        consumes: ['multipart/form-data'],
        querystring: updateQuery,
        headers: updateHeaders,
        body: entryForm,
        response: { 200: entryResponse, ...errorResponses(...writeErrors, 404, 409, 412) },
      },
    },
    async (request, reply) => {
      const options = updateOptions(request);
      return withForm(request, entryParts, async (form) => {
        const input = entryOf(form, validateEntry);
        if (input.id === undefined || input.id === null || input.id === '') {
          throw new Fault('invalid', 'entry.missing-id', 'The part “logEntry” has no “id”. Name the entry to update.');
        }
        const updated = await updateEntry(deps, {
          ...options,
          entryId: parseEntryId(String(input.id)),
          draft: toDraft(input),
          attachments: toRequestedAttachments(input),
          uploads: form.uploads,
        });
        return sendEntry(reply, updated);
      });
    },
  );

  app.post<{ Params: { logId: string }; Querystring: UpdateQuery }>(
    '/logs/attachments/:logId',
    {
      config: { access: 'entries' },
      schema: {
        tags: attachmentTags,
        operationId: 'addAttachment',
        summary: 'Add a file to an entry',
        description: 'The entry is archived as it was.',
        security: signedIn,
        consumes: ['multipart/form-data'],
        params: idParams,
        querystring: updateQuery,
        headers: updateHeaders,
        body: formBody(
          {
            file: { ...binary, description: 'The file.' },
            filename: { type: 'string', description: 'Its name; default: the file name of the part.' },
            id: { type: 'string', description: 'Id of the attachment; default: a new one.' },
            fileMetadataDescription: { type: 'string', description: 'What the file is.' },
          },
          ['file'],
        ),
        response: { 200: entryResponse, ...errorResponses(...writeErrors, 404, 409, 412) },
      },
    },
    async (request, reply) => {
      const options = updateOptions(request);
      const entryId = parseEntryId(request.params.logId);
      return withForm(request, attachmentParts, async (form) => {
        const [upload, second] = form.uploads;
        if (!upload || second) {
          throw new Fault('invalid', 'attachment.exactly-one-file', 'Send exactly one file, in a part named “file”.');
        }
        const filename = textOf(form, 'filename') ?? upload.filename;
        checkFilename(filename);
        const updated = await addAttachment(deps, {
          ...options,
          entryId,
          upload: { ...upload, filename },
          attachmentId: textOf(form, 'id'),
          fileMetadataDescription: textOf(form, 'fileMetadataDescription'),
        });
        return sendEntry(reply, updated);
      });
    },
  );

  function withForm<T>(
    request: FastifyRequest,
    parts: FormParts,
    use: (form: MultipartForm) => Promise<T>,
  ): Promise<T> {
    return withMultipartForm(request.raw, parts, deps.blobs, deps.multipart, use);
  }
}

/** The entry of a form, checked as a JSON body would be. */
function entryOf(form: MultipartForm, validate: (value: unknown) => EntryInput): EntryInput {
  const part = form.fields.get('logEntry');
  if (part === undefined || part.length === 0) {
    throw new Fault('invalid', 'multipart.missing-entry', 'The form has no part “logEntry” with the entry as JSON.');
  }
  const input = parseJson(part);
  return validate(input);
}

/** A text part: a JSON string, an object with a `name`, or the bare text. */
function textOf(form: MultipartForm, name: string): string | undefined {
  const part = form.fields.get(name);
  if (part === undefined || part.length === 0) return undefined;
  const bare = Buffer.from(part).toString('utf8');
  let value: unknown = bare;
  if (/^\s*["{]/.test(bare)) {
    value = jsonOrText(part, bare);
    if (typeof value === 'object' && value !== null && 'name' in value) value = value.name;
  }
  if (typeof value !== 'string') {
    throw new Fault(
      'invalid',
      'multipart.malformed',
      `The part “${name}” is neither a text nor an object with a “name”.`,
    );
  }
  return value.trim() === '' ? undefined : value.trim();
}

/** A bare text may begin like JSON. */
function jsonOrText(part: Uint8Array, bare: string): unknown {
  try {
    return parseJson(part);
  } catch {
    return bare;
  }
}
