import { errorResponses, keyedWriteErrors, signedIn } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import { entryResponse, entryTags, staleResponse } from './entry.schema.js';
import { createHeaders, createQuery, updateHeaders, updateQuery } from './entry-parameters.js';

/** Returns the body of a multipart request, for the API description. The handlers check the parts themselves. */
export const formBody = (properties: object, required: string[]) => ({
  content: { 'multipart/form-data': { schema: { type: 'object', properties, required } } },
});

/** The bytes of a file. */
export const binary = { type: 'string', contentMediaType: 'application/octet-stream' };

const entryForm = formBody(
  {
    logEntry: { ...Type.Ref('EntryInput'), description: 'The entry, as application/json.' },
    // Swagger UI offers a choice of files for a list only if its items have a `format`.
    files: {
      type: 'array',
      items: { ...binary, format: 'binary' },
      description: 'One part for each new attachment, with its file name.',
    },
  },
  ['logEntry'],
);

export const createEntryWithFilesSchema = {
  tags: entryTags,
  operationId: 'createEntryWithFiles',
  summary: 'Create an entry with files',
  description: 'The file name of each `files` part must equal the `filename` of an attachment in `logEntry`.',
  security: signedIn,
  consumes: ['multipart/form-data'],
  querystring: createQuery,
  headers: createHeaders,
  body: entryForm,
  response: { 200: entryResponse, ...errorResponses(...keyedWriteErrors, 404, 409) },
};

export const updateEntryWithFilesSchema = {
  tags: entryTags,
  operationId: 'updateEntryWithFiles',
  summary: 'Update an entry and its files',
  description:
    'Like an update without files, except that `attachments` in `logEntry` is the complete list afterwards: existing attachments by their ids, new ones with their files. Without that list the attachments do not change.',
  security: signedIn,
  consumes: ['multipart/form-data'],
  querystring: updateQuery,
  headers: updateHeaders,
  body: entryForm,
  response: { 200: entryResponse, ...errorResponses(...keyedWriteErrors, 404, 409), ...staleResponse },
};
