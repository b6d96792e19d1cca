import { draftLimits } from '../../drafts/draft.js';
import {
  errorResponses,
  keyedWriteErrors,
  notModified,
  readErrors,
  signedIn,
  writeErrors,
} from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import { draftFileParams, draftParams, revisionHeaders } from './draft-parameters.js';

const Milliseconds = (description: string) =>
  Type.Integer({ description: `${description}, in milliseconds since the epoch.` });
const NullableText = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

const DraftSchema = Type.Object(
  {
    id: Type.String({ description: 'Its UUID.' }),
    title: NullableText('The `title` of its content, shortened; null if it has none.'),
    modifiedDate: Milliseconds('Time of the last change'),
    expiresDate: Milliseconds('When it is removed unless it is changed before'),
    size: Type.Integer({ description: 'Bytes of its content as JSON.' }),
    attachments: Type.Integer({ description: 'Number of its files, incomplete ones included.' }),
  },
  { $id: 'Draft', description: 'Content that the user has not submitted yet.' },
);

const DraftFileSchema = Type.Object(
  {
    id: Type.String({ description: 'Becomes the id of the attachment.' }),
    filename: Type.String({ description: 'File name.' }),
    fileMetadataDescription: NullableText('Description; null: its media type.'),
    size: Type.Integer({ description: 'Bytes of the whole file.' }),
    received: Type.Integer({ description: 'Number of bytes that have arrived.' }),
    complete: Type.Boolean({ description: 'Whether the file can be submitted.' }),
    contentType: NullableText('Media type; null until the file is complete.'),
    checksum: NullableText('SHA-256 of the content, hexadecimal; null until the file is complete.'),
    width: Type.Optional(Type.Integer({ description: 'Size of an image as it is displayed, in pixels, if known.' })),
    height: Type.Optional(Type.Integer({ description: 'Size of an image as it is displayed, in pixels, if known.' })),
  },
  { $id: 'DraftFile', description: 'A file of a draft.' },
);

export const draftSchemas = [DraftSchema, DraftFileSchema];

const tags = ['Drafts'];
const security = signedIn;
const content = Type.Unsafe<unknown>({ description: 'Any JSON.' });
const draft = { ...Type.Ref('Draft'), description: 'The draft, without its content.' };
const file = { ...Type.Ref('DraftFile'), description: 'The file and how much of it has arrived.' };
const removed = (what: string) => Type.Null({ description: `The ${what} was deleted.` });
const stale = {
  412: {
    description:
      'The content has changed since the revision in `If-Match`. The header `ETag` is that of the current content.',
    content: {
      'application/json': {
        schema: {
          allOf: [
            Type.Ref('Error'),
            Type.Object({
              current: Type.Unsafe<unknown>({ description: 'The current content; null if there is none.' }),
            }),
          ],
        },
      },
    },
  },
};

export const listDraftsSchema = {
  tags,
  operationId: 'listDrafts',
  summary: 'List your drafts',
  description: 'Returns all drafts of the user, the last changed first, without their contents.',
  security,
  response: {
    200: Type.Array(Type.Ref('Draft'), { description: 'The drafts.' }),
    ...errorResponses(...readErrors),
  },
};

export const getDraftSchema = {
  tags,
  operationId: 'getDraft',
  summary: 'Get a draft',
  description: 'Returns the content as it was stored. Drafts of other users are not found.',
  security,
  params: draftParams,
  response: { 200: content, ...notModified, ...errorResponses(...readErrors, 404) },
};

export const putDraftSchema = {
  tags,
  operationId: 'putDraft',
  summary: 'Store a draft',
  description: `Stores any JSON up to the size of an entry, as a new draft or as the content of the one with this id, whose files stay. A user has at most ${draftLimits.drafts} drafts; one that is not changed for ${draftLimits.days} days is removed. To submit it, create or update an entry with \`draft={id}\`: the files are attached and the draft is removed.`,
  security,
  params: draftParams,
  headers: revisionHeaders,
  body: content,
  response: { 200: draft, ...errorResponses(...keyedWriteErrors, 409), ...stale },
};

export const deleteDraftSchema = {
  tags,
  operationId: 'deleteDraft',
  summary: 'Delete a draft',
  description: 'Deletes the draft with its files.',
  security,
  params: draftParams,
  headers: revisionHeaders,
  response: { 200: removed('draft'), ...errorResponses(...keyedWriteErrors, 404), ...stale },
};

export const listDraftFilesSchema = {
  tags,
  operationId: 'listDraftFiles',
  summary: 'List the files of a draft',
  description: 'Returns the files in the order in which they were begun.',
  security,
  params: draftParams,
  response: {
    200: Type.Array(Type.Ref('DraftFile'), { description: 'The files.' }),
    ...errorResponses(...readErrors, 404),
  },
};

export const getDraftFileSchema = {
  tags,
  operationId: 'getDraftFile',
  summary: 'Ask how much of a file has arrived',
  description:
    'Returns the number of received bytes; if there are any, also in the header `Range: bytes=0-{last}`, so `HEAD` is enough to resume.',
  security,
  params: draftFileParams,
  response: { 200: file, ...errorResponses(...readErrors, 404) },
};

export const getDraftFileContentSchema = {
  tags,
  operationId: 'getDraftFileContent',
  summary: 'Get a file of a draft',
  description: 'Returns the content of a complete file.',
  security,
  params: draftFileParams,
  querystring: Type.Object({
    inline: Type.Optional(Type.Boolean({ description: 'As with `GET /attachment/{id}`.', default: false })),
  }),
  response: {
    200: { description: 'The file.', content: { '*/*': { schema: { type: 'string' } } } },
    206: { description: 'The part that `Range` names.', content: { '*/*': { schema: { type: 'string' } } } },
    ...notModified,
    ...errorResponses(...readErrors, 404, 416),
  },
};

export const putDraftFileSchema = {
  tags,
  operationId: 'putDraftFile',
  summary: 'Send a file of a draft, or a part of it',
  description:
    'The body is the file itself, of any content type. With `Content-Range: bytes {first}-{last}/{size}` it is the next part of the file; a part that begins at 0 restarts the file. After an interruption, ask how much has arrived, and continue there. Each part that was acknowledged stays. `Content-Range: bytes */{size}` without a body completes a file if the service stopped right after it stored the last part.',
  security,
  params: draftFileParams,
  querystring: Type.Object({
    filename: Type.Optional(Type.String({ description: 'File name; required with the first part.' })),
    fileMetadataDescription: Type.Optional(Type.String({ description: 'Description of the file.', maxLength: 2_000 })),
  }),
  headers: Type.Object({
    'content-range': Type.Optional(
      Type.String({
        description: 'The bytes of the file that the body contains.',
        examples: ['bytes 0-1048575/5242880'],
      }),
    ),
  }),
  response: {
    200: { ...file, description: 'The file is complete.' },
    202: {
      ...file,
      description: 'The part is stored. `received` and the header `Range` tell how much has arrived.',
    },
    ...errorResponses(...writeErrors, 404, 409),
  },
};

export const deleteDraftFileSchema = {
  tags,
  operationId: 'deleteDraftFile',
  summary: 'Delete a file of a draft',
  description: 'Deletes the file, complete or not.',
  security,
  params: draftFileParams,
  response: { 200: removed('file'), ...errorResponses(...writeErrors, 404) },
};
