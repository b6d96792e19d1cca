import { errorResponses, keyedWriteErrors, notModified, readErrors, signedIn } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import { entryResponse, staleResponse } from './entry.schema.js';
import { binary, formBody } from './entry-form.schema.js';
import { addAttachmentQuery, idParams, updateHeaders } from './entry-parameters.js';

const tags = ['Attachments'];
const file = { content: { '*/*': { schema: binary } } };
const fileResponses = {
  200: { ...file, description: 'The file, with its media type.' },
  206: { ...file, description: 'The part of the file that `Range` names.' },
  ...notModified,
  ...errorResponses(...readErrors, 404, 416),
};
const fileQuery = Type.Object({
  inline: Type.Optional(
    Type.Boolean({
      description:
        'Whether a browser may display the file in place of the page: images other than SVG, PDF, plain text, audio and video. Otherwise it offers to save it.',
      default: false,
    }),
  ),
});

export const getAttachmentByNameSchema = {
  tags,
  operationId: 'getAttachmentByName',
  summary: 'Get a file of an entry',
  description: 'Finds the file by its name, including a file that an edit removed.',
  params: Type.Object({
    logId: Type.String({ description: 'Id of the entry.', examples: ['42'] }),
    attachmentName: Type.String({ description: 'File name of the attachment.', examples: ['trip.csv'] }),
  }),
  querystring: fileQuery,
  response: fileResponses,
};

export const getAttachmentSchema = {
  tags,
  operationId: 'getAttachment',
  summary: 'Get a file',
  description: 'Finds the file by the id of the attachment.',
  params: Type.Object({
    attachmentId: Type.String({ description: 'Id of the attachment.', examples: ['trip-data-1'] }),
  }),
  querystring: fileQuery,
  response: fileResponses,
};

export const addAttachmentSchema = {
  tags,
  operationId: 'addAttachment',
  summary: 'Add a file to an entry',
  description: 'Archives the previous version of the entry.',
  security: signedIn,
  consumes: ['multipart/form-data'],
  params: idParams,
  querystring: addAttachmentQuery,
  headers: updateHeaders,
  body: formBody(
    {
      file: { ...binary, description: 'The file.' },
      filename: { type: 'string', description: 'File name; default: the file name of the part.' },
      id: { type: 'string', description: 'Id of the attachment; default: a generated one.' },
      fileMetadataDescription: { type: 'string', description: 'Description of the file.' },
    },
    ['file'],
  ),
  response: { 200: entryResponse, ...errorResponses(...keyedWriteErrors, 404, 409), ...staleResponse },
};
