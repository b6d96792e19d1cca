import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkFilename } from '../../attachments/attachment.js';
import { findAttachment, getReadableAttachment } from '../../entries/find-attachment.js';
import { addAttachment } from '../../entries/update-entry.js';
import { Fault } from '../../kernel/fault.js';
import { decodeFileName } from '../../kernel/file-name.js';
import { writeOnce } from '../../kernel/write-once.js';
import { keyedRequest } from '../access/keyed-request.js';
import { addAttachmentSchema, getAttachmentByNameSchema, getAttachmentSchema } from './attachment.schema.js';
import type { EntryFormRoutesDeps } from './entry-form.routes.js';
import { type AddAttachmentQuery, parseEntryId, toReader, updateOptions } from './entry-parameters.js';
import { parseTextPart } from './form-text.js';
import { type FormParts, leaveFormsToHandlers, type MultipartForm, withMultipartForm } from './multipart-form.js';
import { sendEntry, withCurrentTag } from './send-entry.js';
import { type FileQuery, sendFile } from './send-file.js';
import { storedEntries } from './stored-entries.js';

export type AttachmentRoutesDeps = EntryFormRoutesDeps;

const attachmentParts: FormParts = { files: 'file', fields: ['filename', 'id', 'fileMetadataDescription'] };

/** Routes that download files, and add a file to an entry. */
export async function attachmentRoutes(app: FastifyInstance, deps: AttachmentRoutesDeps): Promise<void> {
  const read = { cost: 'download' } as const;
  const byEntry = '/logs/attachments/:logId';
  app.get(`${byEntry}/:attachmentName`, { config: read, schema: getAttachmentByNameSchema }, getByNameHandler(deps));
  app.get('/attachment/:attachmentId', { config: read, schema: getAttachmentSchema }, getByIdHandler(deps));
  await app.register(async (scope) => {
    leaveFormsToHandlers(scope);
    const config = { access: 'entries', cost: 'upload' } as const;
    scope.post(byEntry, { config, schema: addAttachmentSchema }, addAttachmentHandler(deps));
  });
}

const getByNameHandler =
  (deps: AttachmentRoutesDeps) =>
  async (
    request: FastifyRequest<{ Params: { logId: string; attachmentName: string }; Querystring: FileQuery }>,
    reply: FastifyReply,
  ) => {
    const { logId, attachmentName } = request.params;
    const file = await findAttachment(
      deps.storage.committed,
      toReader(request, deps),
      parseEntryId(logId),
      attachmentName,
    );
    // The name may refer to another file after an edit.
    return sendFile(request, reply, deps.blobs, file, { isPermanent: false });
  };

const getByIdHandler =
  (deps: AttachmentRoutesDeps) =>
  async (
    request: FastifyRequest<{ Params: { attachmentId: string }; Querystring: FileQuery }>,
    reply: FastifyReply,
  ) => {
    const { attachmentId } = request.params;
    const file = await getReadableAttachment(deps.storage.committed, toReader(request, deps), attachmentId);
    const isPermanent = !deps.permissions.hasReadRestrictions;
    return sendFile(request, reply, deps.blobs, file, { isPermanent });
  };

const addAttachmentHandler =
  (deps: AttachmentRoutesDeps) =>
  async (
    request: FastifyRequest<{ Params: { logId: string }; Querystring: AddAttachmentQuery }>,
    reply: FastifyReply,
  ) => {
    const options = updateOptions(request);
    const entryId = parseEntryId(request.params.logId);
    const add = async (form: MultipartForm) => {
      const addition = { ...options, entryId, ...toNewAttachment(form) };
      const keyed = keyedRequest(request, deps, form.digest());
      return writeOnce(deps.storage, keyed, storedEntries(deps, request), (storage) =>
        addAttachment({ ...deps, storage }, addition),
      );
    };
    const updated = await withCurrentTag(reply, () => withMultipartForm(request.raw, deps, attachmentParts, add));
    return sendEntry(reply, updated);
  };

/** @throws Fault invalid `attachment.exactly-one-file`, `attachment.bad-filename`, `multipart.malformed` */
function toNewAttachment(form: MultipartForm) {
  const [upload, second] = form.uploads;
  if (!upload || second) {
    throw new Fault('invalid', 'attachment.exactly-one-file', 'Send exactly one file, in a part named “file”.');
  }
  const given = parseTextPart(form, 'filename');
  const filename = given === undefined ? upload.filename : decodeFileName(given);
  checkFilename(filename);
  return {
    upload: { ...upload, filename },
    attachmentId: parseTextPart(form, 'id'),
    fileMetadataDescription: parseTextPart(form, 'fileMetadataDescription'),
  };
}
