import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import { pageParameters, SearchResultSchema, searchTags, viewParameters } from './search.schema.js';

const { sort: _sort, ...pages } = pageParameters;
const { group: _group, ...views } = viewParameters;

/** Names in lower case, because parameters are compared in lower case. */
export const threadParameterNames = Object.keys({ ...pages, ...views }).map((name) => name.toLowerCase());

export const getThreadSchema = {
  tags: searchTags,
  operationId: 'getThread',
  summary: 'Get the entries of a thread',
  description:
    'The entries of a group, oldest first, in pages like those of a search. The list is empty for an unknown group, and if the reader may read none of its entries.',
  params: Type.Object({
    groupId: Type.String({ description: 'Value of the attribute `id` of the property `Log Entry Group`.' }),
  }),
  querystring: Type.Object({ ...pages, ...views }),
  response: { 200: SearchResultSchema, ...errorResponses(...readErrors) },
};
