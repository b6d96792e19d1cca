import { errorResponses, keyedWriteErrors, notModified, readErrors, signedIn } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';
import { inBytes } from '../../kernel/limit.js';
import { savedSearchLimits } from '../../preferences/edit-search.js';
import { maxSettingsBytes } from '../../preferences/edit-settings.js';
import { keyedHeaders, keyHeader } from '../access/keyed-request.js';

const name = Type.String({ description: 'Its name.', minLength: 1, maxLength: savedSearchLimits.nameLength });
const query = Type.String({
  description: 'The parameters of the search, as in the URL of `GET /logs/search`.',
  maxLength: savedSearchLimits.queryLength,
});

const SavedSearchSchema = Type.Object(
  {
    id: Type.String({ description: 'Assigned by the service.' }),
    name,
    query,
    shared: Type.Boolean({ description: 'Whether all signed-in users see it.' }),
    owner: Type.String({ description: 'The user who saved it.' }),
    ownerName: Type.Optional(Type.String({ description: 'The display name of the owner, if it is known.' })),
    own: Type.Boolean({ description: 'Whether it belongs to the current user, who alone may change it.' }),
  },
  { $id: 'SavedSearch', description: 'A saved search.' },
);
const SavedSearchInputSchema = Type.Object(
  { name, query, shared: Type.Optional(Type.Boolean({ description: 'Default: false.' })) },
  {
    $id: 'SavedSearchInput',
    description: 'A search to save.',
    examples: [{ name: 'Trips of this week', query: 'text=trip&start=1 week', shared: false }],
  },
);

export type SavedSearchInput = Static<typeof SavedSearchInputSchema>;

export const preferenceSchemas = [SavedSearchSchema, SavedSearchInputSchema];

const tags = ['Me'];
const security = signedIn;
const settings = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: `One object of any fields, at most ${inBytes(maxSettingsBytes)} as JSON.`,
});
const params = Type.Object({ id: Type.String({ description: 'Id of the search.' }) });
const search = { ...Type.Ref('SavedSearch'), description: 'The search.' };

export const getSettingsSchema = {
  tags,
  operationId: 'getSettings',
  summary: 'Get your settings',
  description: 'Returns the object that was stored last; an empty one if none was stored.',
  security,
  response: { 200: settings, ...notModified, ...errorResponses(...readErrors) },
};

export const putSettingsSchema = {
  tags,
  operationId: 'putSettings',
  summary: 'Store your settings',
  description: 'Replaces the whole object. The service stores it for clients, and does not read it.',
  security,
  headers: Type.Object({
    ...keyHeader,
    'if-match': Type.Optional(
      Type.String({ description: 'The `ETag` of the settings that you read; 412 if they have changed since then.' }),
    ),
  }),
  body: settings,
  response: {
    200: settings,
    ...errorResponses(...keyedWriteErrors),
    412: {
      description:
        'The settings have changed since the revision in `If-Match`. The header `ETag` is that of the current settings.',
      content: {
        'application/json': { schema: { allOf: [Type.Ref('Error'), Type.Object({ current: settings })] } },
      },
    },
  },
};

export const listSearchesSchema = {
  tags,
  operationId: 'listSearches',
  summary: 'List saved searches',
  description: 'Returns the searches of the user and the shared ones of others, in the order in which they were saved.',
  security,
  response: {
    200: Type.Array(Type.Ref('SavedSearch'), { description: 'The searches.' }),
    ...errorResponses(...readErrors),
  },
};

export const getSearchSchema = {
  tags,
  operationId: 'getSearch',
  summary: 'Get a saved search',
  description: 'Returns a search of the user, or a shared one.',
  security,
  params,
  response: { 200: search, ...errorResponses(...readErrors, 404) },
};

export const addSearchSchema = {
  tags,
  operationId: 'addSearch',
  summary: 'Save a search',
  description: `A user has at most ${savedSearchLimits.searches} saved searches. Sharing one shows its name and parameters to all users; each of them finds only what their own rights allow.`,
  security,
  headers: keyedHeaders,
  body: Type.Ref('SavedSearchInput'),
  response: { 200: search, ...errorResponses(...keyedWriteErrors, 409) },
};

export const putSearchSchema = {
  tags,
  operationId: 'putSearch',
  summary: 'Change a saved search',
  description: 'Replaces a search of the user.',
  security,
  params,
  headers: keyedHeaders,
  body: Type.Ref('SavedSearchInput'),
  response: { 200: search, ...errorResponses(...keyedWriteErrors, 404) },
};

export const deleteSearchSchema = {
  tags,
  operationId: 'deleteSearch',
  summary: 'Delete a saved search',
  description: 'Deletes a search of the user, for all who see it.',
  security,
  params,
  headers: keyedHeaders,
  response: {
    200: Type.Null({ description: 'The search was deleted.' }),
    ...errorResponses(...keyedWriteErrors, 404),
  },
};
