import { errorResponses, notModified, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
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

export const getArchivedEntrySchema = {
  tags: entryTags,
  operationId: 'getArchivedEntry',
  summary: 'Get the earlier versions of an entry',
  description: 'Returns the versions that edits replaced, newest first; none if the entry was never edited.',
  params: idParams,
  response: {
    200: { ...Type.Ref('SearchResult'), description: 'The versions.' },
    ...errorResponses(...readErrors, 404),
  },
};
