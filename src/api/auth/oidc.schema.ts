import { errorResponses } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';

const tags = ['Sign-in'];

const BeginQuery = Type.Object({
  returnTo: Type.Optional(
    Type.String({
      maxLength: 2_048,
      description: 'Path on this site to which the browser returns after sign-in. Default `/`.',
    }),
  ),
});

export type BeginQuery = Static<typeof BeginQuery>;

const CallbackQuery = Type.Object({
  code: Type.Optional(Type.String({ description: 'Set by the provider when sign-in succeeded.' })),
  state: Type.Optional(Type.String({ description: 'Identifies the sign-in.' })),
  iss: Type.Optional(Type.String({ description: 'The provider.' })),
  error: Type.Optional(Type.String({ description: 'Set by the provider when sign-in failed.' })),
  error_description: Type.Optional(Type.String({ description: 'Reason of the failure.' })),
});

export const beginOidcLoginSchema = {
  tags,
  operationId: 'beginOidcLogin',
  summary: 'Sign in with OpenID Connect',
  description: 'For browsers: redirects to the identity provider, which sends the browser back.',
  querystring: BeginQuery,
  response: {
    302: Type.Null({ description: 'Redirect to the identity provider.' }),
    ...errorResponses(400, 403, 429, 500, 503),
  },
};

export const finishOidcLoginSchema = {
  tags,
  operationId: 'finishOidcLogin',
  summary: 'Return from the identity provider',
  description: 'The provider sends the browser here. Opens a session and sets its `SESSION` cookie.',
  querystring: CallbackQuery,
  response: {
    303: Type.Null({ description: 'Redirect to the `returnTo` path of the sign-in.' }),
    ...errorResponses(400, 401, 403, 500, 503, 507),
  },
};
