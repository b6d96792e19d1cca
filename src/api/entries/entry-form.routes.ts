import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { updateEntry } from '../../entries/update-entry.js';
import { longBodyBytes } from '../../http/admission/admission.js';
import { parseJson } from '../../http/request/json-body.js';
import { jsonValidator } from '../../http/request/schema-validator.js';
import { Fault } from '../../kernel/fault.js';
import { writeOnce } from '../../kernel/write-once.js';
import { keyedRequest } from '../access/keyed-request.js';
import { createOnce } from './create-once.js';
import type { EntryRoutesDeps } from './entry.routes.js';
import type { EntryInput } from './entry.schema.js';
import { createEntryWithFilesSchema, updateEntryWithFilesSchema } from './entry-form.schema.js';
import { toDraft, toRequestedAttachments } from './entry-input.js';
import { type CreateQuery, createOptions, parseEntryId, type UpdateQuery, updateOptions } from './entry-parameters.js';
import {
  type FormParts,
  leaveFormsToHandlers,
  type MultipartForm,
  type MultipartLimits,
  withMultipartForm,
} from './multipart-form.js';
import { sendEntry, withCurrentTag } from './send-entry.js';
import { storedEntries } from './stored-entries.js';

export interface EntryFormRoutesDeps extends EntryRoutesDeps {
  readonly multipart: MultipartLimits;
}

type ValidateEntry = (value: unknown) => EntryInput;

const upload = { access: 'entries', cost: 'upload' } as const;
const entryParts: FormParts = { files: 'files', fields: ['logEntry'] };

/** Routes that create and update entries with files, as multipart forms. */
export async function entryFormRoutes(app: FastifyInstance, deps: EntryFormRoutesDeps): Promise<void> {
  await app.register(async (scope) => {
    leaveFormsToHandlers(scope);
    const validate = jsonValidator<EntryInput>(scope, { $ref: 'EntryInput#' });
    const url = '/logs/multipart';
    scope.put(url, { config: upload, schema: createEntryWithFilesSchema }, createWithFilesHandler(deps, validate));
    scope.post(url, { config: upload, schema: updateEntryWithFilesSchema }, updateWithFilesHandler(deps, validate));
  });
}

const createWithFilesHandler =
  (deps: EntryFormRoutesDeps, validate: ValidateEntry) =>
  async (request: FastifyRequest<{ Querystring: CreateQuery }>, reply: FastifyReply) => {
    const options = createOptions(request);
    const created = await withMultipartForm(request.raw, deps, entryParts, async (form) => {
      const input = parseEntryPart(form, validate);
      const attachments = toRequestedAttachments(input);
      const create = { ...options, draft: toDraft(input), attachments, uploads: form.uploads };
      const digest = form.digest();
      return whenAdmitted(form, request, reply, () => createOnce(deps, request, create, digest));
    });
    return sendEntry(reply, created);
  };

const updateWithFilesHandler =
  (deps: EntryFormRoutesDeps, validate: ValidateEntry) =>
  async (request: FastifyRequest<{ Querystring: UpdateQuery }>, reply: FastifyReply) => {
    const options = updateOptions(request);
    const update = async (form: MultipartForm) => {
      const input = parseEntryPart(form, validate);
      const entryId = requireEntryId(input);
      const attachments = toRequestedAttachments(input);
      const draft = toDraft(input);
      const edit = { ...options, entryId, draft, attachments, uploads: form.uploads };
      const keyed = keyedRequest(request, deps, form.digest());
      return whenAdmitted(form, request, reply, () =>
        writeOnce(deps.storage, keyed, storedEntries(deps, request), (storage) =>
          updateEntry({ ...deps, storage }, edit),
        ),
      );
    };
    const updated = await withCurrentTag(reply, () => withMultipartForm(request.raw, deps, entryParts, update));
    return sendEntry(reply, updated);
  };

/** Stores an entry. A long one waits for the turn of its client first, like a long JSON body. */
function whenAdmitted<T>(
  form: MultipartForm,
  request: FastifyRequest,
  reply: FastifyReply,
  store: () => Promise<T>,
): Promise<T> {
  const isLong = (form.fields.get('logEntry')?.length ?? 0) > longBodyBytes;
  return isLong ? request.server.admission.inTurn(request, reply, 'longWrite', store) : store();
}

/** @throws Fault invalid `multipart.missing-entry` or a `request.…` code, as for a JSON body */
function parseEntryPart(form: MultipartForm, validate: ValidateEntry): EntryInput {
  const part = form.fields.get('logEntry');
  if (part === undefined || part.length === 0) {
    throw new Fault('invalid', 'multipart.missing-entry', 'The form has no part “logEntry” with the entry as JSON.');
  }
  return validate(parseJson(part));
}

function requireEntryId({ id }: EntryInput): number {
  if (id === undefined || id === null || id === '') {
    throw new Fault(
      'invalid',
      'entry.missing-id',
      'The part “logEntry” has no “id”. Add the id of the entry to update.',
    );
  }
  return parseEntryId(String(id));
}
