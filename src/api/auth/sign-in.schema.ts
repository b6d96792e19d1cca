import { bodyErrors, errorResponses, readErrors, writeErrors } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';

const UserSchema = Type.Object(
  {
    userName: Type.String({ description: 'The name that entries carry as owner.' }),
    roles: Type.Array(Type.String(), { description: 'ADMIN, LOG, LOGBOOK, TAG, PROPERTY, USER.' }),
  },
  { $id: 'User', description: 'The authenticated user.', examples: [{ userName: 'admin', roles: ['ADMIN'] }] },
);

const LoginSchema = Type.Object(
  {
    username: Type.String({ description: 'User name.' }),
    password: Type.String({ description: 'Password.' }),
  },
  { $id: 'Login', description: 'Credentials.', examples: [{ username: 'admin', password: 'adminPass' }] },
);

export type Login = Static<typeof LoginSchema>;

export const signInSchemas = [UserSchema, LoginSchema];

const tags = ['Sign-in'];

export const loginSchema = {
  tags,
  operationId: 'login',
  summary: 'Sign in',
  description: 'Opens a session and sets its `SESSION` cookie.',
  body: Type.Ref('Login'),
  response: { 200: Type.Ref('User'), ...errorResponses(...writeErrors) },
};

export const getUserSchema = {
  tags,
  operationId: 'getUser',
  summary: 'Get the current user',
  description: 'Returns the user of the session or of the Basic credentials.',
  response: { 200: Type.Ref('User'), ...errorResponses(...readErrors, 404) },
};

export const logoutSchema = (operationId: string) => ({
  tags,
  operationId,
  summary: 'Sign out',
  description:
    'Ends the session, if there is one. A browser that follows a link from another site with GET gets a page that asks first. Programs, pages of the service and pages of an origin in `corsOrigins` are not asked. After a sign-in with OpenID Connect, a browser is redirected to the sign-out of the provider; a script gets its address as `signOutUrl`.',
  response: {
    200: Type.Union([Type.Null(), Type.Object({ signOutUrl: Type.String() })], {
      description: 'The browser is signed out of the logbook.',
    }),
    303: Type.Null({ description: 'Redirect to the sign-out of the identity provider.' }),
    ...errorResponses(...bodyErrors, 403, 500, 503, 507),
  },
});
