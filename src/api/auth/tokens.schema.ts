import { type Right, rights } from '../../auth/permissions.js';
import { errorResponses, readErrors, signedIn, writeErrors } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';
import { idParams, listQuery, milliseconds } from './own-or-all.js';

const TokenSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifies the token; not a credential.' }),
    name: Type.String({ description: 'Name chosen by the owner.' }),
    userName: Type.String({ description: 'The owner.' }),
    rights: Type.Array(Type.String(), { description: 'What the token permits besides reading.' }),
    isAutomatic: Type.Boolean({ description: 'Whether the entries that it creates are marked as automatic.' }),
    createdDate: milliseconds('Time of creation'),
    expiresDate: milliseconds('Time when it expires'),
    token: Type.Optional(
      Type.String({ description: 'The token itself; only in the response to the request that creates it.' }),
    ),
  },
  { $id: 'Token', description: 'A credential that a program uses in place of a password.' },
);

const TokenInputSchema = Type.Object(
  {
    name: Type.String({ description: 'Purpose of the token.', minLength: 1, maxLength: 200 }),
    rights: Type.Optional(
      Type.Array(Type.Unsafe<Right>({ type: 'string', enum: [...rights] }), {
        description: 'What the token permits besides reading; never more than its owner may do.',
        maxItems: rights.length,
        default: [],
      }),
    ),
    isAutomatic: Type.Optional(
      Type.Boolean({
        description: 'Whether to mark the entries that it creates as `automatic`.',
      }),
    ),
    days: Type.Optional(
      Type.Integer({ description: 'Validity period in days.', minimum: 1, maximum: 366, default: 90 }),
    ),
  },
  {
    $id: 'TokenInput',
    description: 'A token to create.',
    examples: [{ name: 'shift summary script', rights: ['entries'], days: 90 }],
  },
);

export type TokenInput = Static<typeof TokenInputSchema>;

export const tokenSchemas = [TokenSchema, TokenInputSchema];

const tags = ['Sign-in'];

export const listTokensSchema = {
  tags,
  operationId: 'listTokens',
  summary: 'List tokens',
  description:
    'Returns your tokens or, with `all`, those of all users: newest first, at most 1,000. The secrets are not included.',
  security: signedIn,
  querystring: listQuery,
  response: {
    200: Type.Array(Type.Ref('Token'), { description: 'The tokens.' }),
    ...errorResponses(...readErrors),
  },
};

export const createTokenSchema = {
  tags,
  operationId: 'createToken',
  summary: 'Create a token',
  description:
    'Creates a token for a program of yours, which sends it as `Authorization: Bearer`. Only this response contains it.',
  security: signedIn,
  body: Type.Ref('TokenInput'),
  response: {
    200: { ...Type.Ref('Token'), description: 'The token, including the secret itself.' },
    ...errorResponses(...writeErrors),
  },
};

export const deleteTokenSchema = {
  tags,
  operationId: 'deleteToken',
  summary: 'Delete a token',
  description: 'Deletes one of your own tokens; administrators can delete any token.',
  security: signedIn,
  params: idParams('token'),
  response: { 200: Type.Null({ description: 'The token was deleted.' }), ...errorResponses(...writeErrors, 404) },
};

export const deleteOwnTokenSchema = {
  tags,
  security: [{ token: [] }],
  operationId: 'deleteOwnToken',
  summary: 'Delete the token of the request',
  description: 'Deletes the token that the request sends as `Authorization: Bearer`: how a program signs out.',
  response: {
    200: Type.Null({ description: 'The token was deleted.' }),
    ...errorResponses(401, 403, 429, 500, 503, 507),
  },
};
