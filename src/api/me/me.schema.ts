import { rights } from '../../auth/permissions.js';
import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';

const MeSchema = Type.Object(
  {
    userName: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The name that entries carry as owner; null: not signed in.',
    }),
    displayName: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The display name; null if the directory has none.',
    }),
    roles: Type.Array(Type.String(), { description: 'ADMIN, LOG, LOGBOOK, TAG, PROPERTY, USER.' }),
    permissions: Type.Array(Type.String(), {
      description: `What the request may do besides reading: ${rights.join(', ')}. With a token, also limited to its rights.`,
    }),
    logbooks: Type.Array(
      Type.Object({
        name: Type.String(),
        read: Type.Boolean(),
        write: Type.Boolean({ description: 'Whether entries of the logbook may be written.' }),
      }),
      { description: 'The active logbooks that may be read, ordered by name; others are left out.' },
    ),
    session: Type.Unsafe<{ expiresDate: number } | null>({
      type: ['object', 'null'],
      properties: { expiresDate: { type: 'integer' } },
      required: ['expiresDate'],
      description:
        'When the session expires unless it is used before, in milliseconds since the epoch; null without a session. This request does not extend it.',
    }),
    signIn: Type.Object(
      {
        password: Type.Boolean(),
        oidc: Type.Boolean(),
        evaluationUsers: Type.Optional(
          Type.Array(Type.Object({ userName: Type.String(), password: Type.String() }), {
            description: 'The users whose passwords are public, while nobody else can sign in.',
          }),
        ),
      },
      { description: 'The ways to sign in: with a password, and with OpenID Connect at `login/oidc`.' },
    ),
  },
  {
    $id: 'Me',
    description: 'The current user and what the user may do.',
    examples: [
      {
        userName: 'user',
        displayName: null,
        roles: ['USER'],
        permissions: ['entries', 'templates'],
        logbooks: [{ name: 'operations', read: true, write: true }],
        session: { expiresDate: 1_767_225_600_000 },
        signIn: { password: true, oidc: false },
      },
    ],
  },
);

export const meSchemas = [MeSchema];

export const getMeSchema = {
  tags: ['Me'],
  operationId: 'getMe',
  summary: 'Get the current user',
  description:
    'Returns the user of the session or of the credentials and what the user may do; for a reader who is not signed in, with `userName` null. Wrong credentials are refused as everywhere.',
  response: { 200: { ...Type.Ref('Me'), description: 'The user.' }, ...errorResponses(...readErrors) },
};
