import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ApiTokens } from '../../auth/api-tokens.js';
import type { Authenticator } from '../../auth/authenticator.js';
import { type Right, rights } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import type { Session } from '../../auth/session-store.port.js';
import type { Sessions } from '../../auth/sessions.js';
import type { ApiToken } from '../../auth/token-store.port.js';
import { errorResponses, signedIn, writeErrors } from '../../http/common.schema.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { principalOf, signInNeeded } from '../access/request-principal.js';
import { requestCredentials } from '../access/session-cookie.js';

const maxListed = 1_000;
const tags = ['Sign-in'];
const ms = (description: string) => Type.Integer({ description: `${description}, in milliseconds since the epoch.` });

const SessionSchema = Type.Object(
  {
    id: Type.String({ description: 'Names the session; opens nothing.' }),
    userName: Type.String({ description: 'Who opened it.' }),
    from: Type.String({ description: 'The address that it was opened from.' }),
    createdDate: ms('When it was opened'),
    expiresDate: ms('When it ends, if it is not used before'),
  },
  { $id: 'Session', description: 'A sign-in that is open.' },
);

const TokenSchema = Type.Object(
  {
    id: Type.String({ description: 'Names the token; opens nothing.' }),
    name: Type.String({ description: 'As its owner calls it.' }),
    userName: Type.String({ description: 'Its owner.' }),
    rights: Type.Array(Type.String(), { description: 'What it may be used for, besides reading.' }),
    createdDate: ms('When it was made'),
    expiresDate: ms('When it ends'),
    token: Type.Optional(
      Type.String({ description: 'The token itself: in the answer that makes it, and never again.' }),
    ),
  },
  { $id: 'Token', description: 'What a program shows in place of a password.' },
);

const TokenInputSchema = Type.Object(
  {
    name: Type.String({ description: 'What it is for.', minLength: 1, maxLength: 200 }),
    rights: Type.Array(Type.Unsafe<Right>({ type: 'string', enum: [...rights] }), {
      description: 'What it may be used for, besides reading; never more than its owner may.',
      maxItems: rights.length,
      default: [],
    }),
    days: Type.Optional(
      Type.Integer({ description: 'For how many days it is valid.', minimum: 1, maximum: 366, default: 90 }),
    ),
  },
  {
    $id: 'TokenInput',
    description: 'A token to make.',
    examples: [{ name: 'shift summary script', rights: ['entries'], days: 90 }],
  },
);

const idParams = (what: string) =>
  Type.Object({ id: Type.String({ description: `Id of the ${what}.`, examples: ['9f86d081884c7d65'] }) });
const listQuery = Type.Object({
  all: Type.Optional(
    Type.Boolean({ description: 'Those of everybody, which only an administrator sees.', default: false }),
  ),
});
interface ListQuery {
  readonly all?: boolean;
}

export interface AccountRoutesDeps {
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  /** @throws Fault forbidden when the principal does not administer the service */
  readonly checkAdmin: (principal: Principal) => void;
}

/** What is open in somebody's name: sessions and tokens. Everybody keeps their own, an administrator all. */
export async function sessionAndTokenRoutes(app: FastifyInstance, deps: AccountRoutesDeps): Promise<void> {
  for (const schema of [SessionSchema, TokenSchema, TokenInputSchema]) app.addSchema(schema);
  sessionRoutes(app, deps);
  tokenRoutes(app, deps);
}

/** Undefined: of everybody. */
function askedFor(principal: Principal, { all }: ListQuery, { checkAdmin }: AccountRoutesDeps): string | undefined {
  if (all !== true) return principal.userName;
  checkAdmin(principal);
  return undefined;
}

/** Everybody what is theirs, an administrator all. */
function mayEnd(principal: Principal, ownerName: string, { checkAdmin }: AccountRoutesDeps): boolean {
  if (principal.userName === ownerName) return true;
  try {
    checkAdmin(principal);
    return true;
  } catch {
    return false;
  }
}

function sessionRoutes(app: FastifyInstance, deps: AccountRoutesDeps): void {
  const { sessions } = deps;
  app.get<{ Querystring: ListQuery }>(
    '/sessions',
    {
      config: { access: 'password' },
      schema: {
        tags,
        operationId: 'listSessions',
        summary: 'List open sessions',
        description: 'Your own, the newest first, at most 1,000.',
        security: signedIn,
        querystring: listQuery,
        response: {
          200: Type.Array(Type.Ref('Session'), { description: 'The sessions.' }),
          ...errorResponses(400, 401, 403, 429, 500, 503),
        },
      },
    },
    async (request) =>
      (await sessions.list(askedFor(principalOf(request), request.query, deps), maxListed)).map(toSessionView),
  );

  app.delete<{ Params: { id: string } }>(
    '/sessions/:id',
    {
      config: { access: 'password' },
      schema: {
        tags,
        operationId: 'endSession',
        summary: 'End a session',
        description: 'One of your own; an administrator ends any.',
        security: signedIn,
        params: idParams('session'),
        response: { 200: Type.Null({ description: 'It is ended.' }), ...errorResponses(...writeErrors, 404) },
      },
    },
    async (request, reply) => {
      const session = await sessions.findById(request.params.id);
      if (!session || !mayEnd(principalOf(request), session.account.userName, deps)) {
        throw new Fault('missing', 'session.not-found', `There is no open session ${quoted(request.params.id)}.`);
      }
      await sessions.revoke(session);
      return reply.send();
    },
  );
}

function tokenRoutes(app: FastifyInstance, deps: AccountRoutesDeps): void {
  const { tokens } = deps;
  app.get<{ Querystring: ListQuery }>(
    '/tokens',
    {
      config: { access: 'password' },
      schema: {
        tags,
        operationId: 'listTokens',
        summary: 'List tokens',
        description: 'Your own, the newest first, at most 1,000; without the tokens themselves.',
        security: signedIn,
        querystring: listQuery,
        response: {
          200: Type.Array(Type.Ref('Token'), { description: 'The tokens.' }),
          ...errorResponses(400, 401, 403, 429, 500, 503),
        },
      },
    },
    async (request) =>
      (await tokens.list(askedFor(principalOf(request), request.query, deps), maxListed)).map(toTokenView),
  );

  app.post<{ Body: Static<typeof TokenInputSchema> }>(
    '/tokens',
    {
      config: { access: 'password' },
      schema: {
        tags,
        operationId: 'createToken',
        summary: 'Make a token',
        description: 'For a program of yours, to be sent as `Authorization: Bearer`. The answer shows it this once.',
        security: signedIn,
        body: Type.Ref('TokenInput'),
        response: {
          200: { ...Type.Ref('Token'), description: 'With the token itself.' },
          ...errorResponses(...writeErrors),
        },
      },
    },
    async (request, reply) => {
      const { name, rights: wanted = [], days = 90 } = request.body;
      const account = await deps.authenticator.identifyAccount(requestCredentials(request));
      if (!account) throw signInNeeded();
      const { token, secret } = await tokens.create(account, { name, rights: [...new Set(wanted)], days });
      reply.header('cache-control', 'no-store');
      return { ...toTokenView(token), token: secret };
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/tokens/:id',
    {
      config: { access: 'password' },
      schema: {
        tags,
        operationId: 'deleteToken',
        summary: 'Delete a token',
        description: 'One of your own; an administrator deletes any.',
        security: signedIn,
        params: idParams('token'),
        response: { 200: Type.Null({ description: 'It is void.' }), ...errorResponses(...writeErrors, 404) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const token = await tokens.findById(id);
      const mayDelete = token && mayEnd(principalOf(request), token.account.userName, deps);
      if (!mayDelete || !(await tokens.remove(id))) {
        throw new Fault('missing', 'token.not-found', `There is no token ${quoted(id)}.`);
      }
      return reply.send();
    },
  );
}

function toSessionView({ id, account, from, createdMs, expiresMs, endsMs }: Session) {
  const expiresDate = Math.min(expiresMs, endsMs);
  return { id, userName: account.userName, from, createdDate: createdMs, expiresDate };
}

function toTokenView({ id, name, account, rights: given, createdMs, expiresMs }: ApiToken) {
  return { id, name, userName: account.userName, rights: [...given], createdDate: createdMs, expiresDate: expiresMs };
}
