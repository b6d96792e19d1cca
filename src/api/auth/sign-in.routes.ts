import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Authenticator } from '../../auth/authenticator.js';
import type { Principal } from '../../auth/principal.js';
import { errorResponses } from '../../http/common.schema.js';
import { Fault } from '../../kernel/fault.js';
import { clearSessionCookie, requestCredentials, type SameSite, setSessionCookie } from '../access/session-cookie.js';

const UserSchema = Type.Object(
  {
    userName: Type.String({ description: 'The name that entries carry as owner.' }),
    roles: Type.Array(Type.String(), { description: 'ADMIN, LOG, LOGBOOK, TAG, PROPERTY, USER.' }),
  },
  { $id: 'User', description: 'Who is signed in.', examples: [{ userName: 'admin', roles: ['ADMIN'] }] },
);

const LoginSchema = Type.Object(
  {
    username: Type.String({ description: 'User name.' }),
    password: Type.String({ description: 'Password.' }),
  },
  { $id: 'Login', description: 'Credentials.', examples: [{ username: 'admin', password: 'adminPass' }] },
);

export interface AuthRoutesDeps {
  readonly authenticator: Authenticator;
  readonly sameSite: SameSite;
}

export async function authRoutes(app: FastifyInstance, { authenticator, sameSite }: AuthRoutesDeps): Promise<void> {
  app.addSchema(UserSchema);
  app.addSchema(LoginSchema);
  const tags = ['Sign-in'];

  app.post<{ Body: Static<typeof LoginSchema> }>(
    '/login',
    {
      config: { access: 'open' },
      schema: {
        tags,
        operationId: 'login',
        summary: 'Sign in',
        description: 'Opens a session and sets its `SESSION` cookie.',
        body: Type.Ref('Login'),
        response: { 200: Type.Ref('User'), ...errorResponses(400, 401, 403, 415, 429, 500, 503, 507) },
      },
    },
    async (request, reply) => {
      const { username, password } = request.body;
      const { principal, secret } = await authenticator.signIn({ userName: username, password }, request.ip);
      await setSessionCookie(request, reply, { authenticator, token: secret, sameSite });
      reply.header('cache-control', 'no-store');
      return toUser(principal);
    },
  );

  app.get(
    '/user',
    {
      config: { access: 'open' },
      schema: {
        tags,
        operationId: 'getUser',
        summary: 'Who am I',
        description: 'The user of the session or of the Basic credentials.',
        response: { 200: Type.Ref('User'), ...errorResponses(401, 404, 429, 500, 503) },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const principal = await authenticator.identify(requestCredentials(request));
      if (!principal) throw new Fault('missing', 'auth.not-signed-in', 'Nobody is signed in.');
      return toUser(principal);
    },
  );

  const logout = async (request: FastifyRequest, reply: FastifyReply) => {
    await clearSessionCookie(request, reply, { authenticator, sameSite });
    return reply.send();
  };
  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: '/logout',
      config: { access: 'open' },
      exposeHeadRoute: false,
      schema: {
        tags,
        operationId: `logout${method === 'GET' ? 'ByGet' : ''}`,
        summary: 'Sign out',
        description: 'Ends the session, if there is one.',
        response: {
          200: Type.Null({ description: 'Nobody is signed in any more.' }),
          ...errorResponses(400, 500, 503, 507),
        },
      },
      handler: logout,
    });
  }
}

function toUser({ userName, roles }: Principal): { userName: string; roles: string[] } {
  return { userName, roles: [...roles] };
}
