import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiTokens } from '../../auth/api-tokens.js';
import type { Authenticator } from '../../auth/authenticator.js';
import type { ApiToken } from '../../auth/token-store.port.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { principalOf, signInNeeded } from '../access/request-principal.js';
import { requestCredentials } from '../access/session-cookie.js';
import {
  type IdParams,
  type ListQuery,
  maxListed,
  mayManage,
  type OwnOrAllDeps,
  requestedOwner,
} from './own-or-all.js';
import {
  createTokenSchema,
  deleteOwnTokenSchema,
  deleteTokenSchema,
  listTokensSchema,
  type TokenInput,
  tokenSchemas,
} from './tokens.schema.js';

export interface TokenRoutesDeps extends OwnOrAllDeps {
  readonly authenticator: Authenticator;
  readonly tokens: ApiTokens;
}

const config = { access: 'password' } as const;
// The handler checks the token, which may delete only itself.
const selfConfig = { access: 'open' } as const;

/** Registers the routes that create, list and delete API tokens. */
export async function tokenRoutes(app: FastifyInstance, deps: TokenRoutesDeps): Promise<void> {
  for (const schema of tokenSchemas) app.addSchema(schema);
  app.get('/tokens', { config, schema: listTokensSchema }, listTokensHandler(deps));
  app.post('/tokens', { config, schema: createTokenSchema }, createTokenHandler(deps));
  app.delete('/tokens/self', { config: selfConfig, schema: deleteOwnTokenSchema }, deleteOwnTokenHandler(deps));
  app.delete('/tokens/:id', { config, schema: deleteTokenSchema }, deleteTokenHandler(deps));
}

const listTokensHandler = (deps: TokenRoutesDeps) => async (request: FastifyRequest<{ Querystring: ListQuery }>) => {
  const owner = requestedOwner(principalOf(request), request.query, deps);
  return (await deps.tokens.list(owner, maxListed)).map(toTokenView);
};

const createTokenHandler =
  ({ authenticator, tokens }: TokenRoutesDeps) =>
  async (request: FastifyRequest<{ Body: TokenInput }>, reply: FastifyReply) => {
    const { name, rights = [], days = 90, isAutomatic } = request.body;
    const account = await authenticator.identifyAccount(requestCredentials(request));
    if (!account) throw signInNeeded();
    const asked = { name, rights: [...new Set(rights)], days, ...(isAutomatic && { isAutomatic }) };
    const { token, secret } = await tokens.create(account, asked);
    reply.header('cache-control', 'no-store');
    return { ...toTokenView(token), token: secret };
  };

const deleteOwnTokenHandler =
  ({ authenticator }: TokenRoutesDeps) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    await authenticator.endToken(request.headers.authorization ?? '', request.ip);
    return reply.send();
  };

const deleteTokenHandler =
  (deps: TokenRoutesDeps) => async (request: FastifyRequest<IdParams>, reply: FastifyReply) => {
    const { id } = request.params;
    const token = await deps.tokens.findById(id);
    const mayDelete = token && mayManage(principalOf(request), token.account, deps);
    if (!mayDelete || !(await deps.tokens.remove(id))) {
      throw new Fault('missing', 'token.not-found', `Token ${quoted(id)} not found.`);
    }
    return reply.send();
  };

export function toTokenView({ id, name, account, rights, isAutomatic, createdMs, expiresMs }: ApiToken) {
  const { userName } = account;
  return {
    id,
    name,
    userName,
    rights: [...rights],
    isAutomatic: isAutomatic === true,
    createdDate: createdMs,
    expiresDate: expiresMs,
  };
}
