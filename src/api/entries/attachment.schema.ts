import { Type } from 'typebox';
import { errorResponses, signedIn, writeErrors } from '../../http/common.schema.js';
import { entryResponse } from './entry.schema.js';
import { binary, formBody } from './entry-form.schema.js';
import { idParams, updateHeaders, updateQuery } from './entry-parameters.js';

const tags = ['Attachments'];
const fileResponse = {
  description: 'The file, or with 206 the requested `Range` of it.',
  content: { 'application/octet-stream': { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } },
};

export const getAttachmentByNameSchema = {
  tags,
  operationId: 'getAttachmentByName',
  summary: 'Get a file of an entry',
  description: 'Finds the file by its name, including a file that an edit removed.',
  params: Type.Object({
    logId: Type.String({ description: 'Id of the entry.', examples: ['42'] }),
    attachmentName: Type.String({ description: 'File name of the attachment.', examples: ['trip.csv'] }),
  }),
  response: { 200: fileResponse, ...errorResponses(401, 404, 500, 503) },
};

export const getAttachmentSchema = {
  tags,
  operationId: 'getAttachment',
  summary: 'Get a file',
  description: 'Finds the file by the id of the attachment.',
  params: Type.Object({
    attachmentId: Type.String({ description: 'Id of the attachment.', examples: ['trip-data-1'] }),
  }),
  response: { 200: fileResponse, ...errorResponses(401, 404, 500, 503) },
};

export const addAttachmentSchema = {
  tags,
  operationId: 'addAttachment',
  summary: 'Add a file to an entry',
  description: 'Archives the previous version of the entry.',
  security: signedIn,
  consumes: ['multipart/form-data'],
  params: idParams,
  querystring: updateQuery,
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
  response: { 200: entryResponse, ...errorResponses(...writeErrors, 404, 409, 412) },
};
