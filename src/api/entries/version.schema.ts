import { Type } from 'typebox';
import { errorResponses, notModified, readErrors } from '../../http/common.schema.js';
import { entryResponse, entryTags } from './entry.schema.js';
import { idParams, readHeaders } from './entry-parameters.js';

export const getVersionSchema = {
  tags: entryTags,
  operationId: 'getEntryVersion',
  summary: 'Get a version of an entry',
  description: 'Returns the version with this number: an earlier one, or the current one.',
  params: Type.Object({
    ...idParams.properties,
    number: Type.String({ description: 'Number of the version, from 1.', examples: ['1'] }),
  }),
  headers: readHeaders,
  response: { 200: entryResponse, ...notModified, ...errorResponses(...readErrors, 404) },
};
