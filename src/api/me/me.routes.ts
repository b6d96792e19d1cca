import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator, CurrentUser } from '../../auth/authenticator.js';
import type { BrowserSignIn } from '../../auth/browser-sign-in.port.js';
import { evaluationPasswords } from '../../auth/evaluation-users.js';
import type { Permissions } from '../../auth/permissions.js';
import type { CatalogStorage } from '../../catalog/catalog-storage.js';
import { listItems } from '../../catalog/edit-catalog.js';
import { sendJsonChunks } from '../../http/reply/json-stream.js';
import { encodeEach, jsonArrayChunks } from '../../kernel/json-array.js';
import { requestCredentials } from '../access/session-cookie.js';
import { getMeSchema, meSchemas } from './me.schema.js';

export interface MeRoutesDeps {
  readonly storage: Pick<CatalogStorage, 'committed'>;
  readonly authenticator: Authenticator;
  readonly permissions: Permissions;
  /** Whether a provider that checks passwords is configured. */
  readonly hasPasswordSignIn: boolean;
  /** Whether only users with publicly known passwords can sign in. */
  readonly isTrial: boolean;
  /** Undefined when no OpenID Connect provider is configured. */
  readonly browserSignIn: BrowserSignIn | undefined;
}

/** Registers the route of the current user. */
export async function meRoutes(app: FastifyInstance, deps: MeRoutesDeps): Promise<void> {
  for (const schema of meSchemas) app.addSchema(schema);
  app.get('/me', { config: { access: 'open', cost: 'read' }, schema: getMeSchema }, getMeHandler(deps));
}

const getMeHandler = (deps: MeRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const user = await deps.authenticator.findCurrentUser(requestCredentials(request));
  reply.header('cache-control', 'no-store');
  return sendJsonChunks(reply, meChunks(deps, user));
};

async function* meChunks(deps: MeRoutesDeps, user: CurrentUser | undefined): AsyncGenerator<Uint8Array> {
  const { permissions, hasPasswordSignIn, isTrial, browserSignIn } = deps;
  const head = {
    userName: user?.principal.userName ?? null,
    displayName: user?.principal.displayName ?? null,
    roles: user?.principal.roles ?? [],
    permissions: user ? permissions.rightsOf(user.principal) : [],
    session: user?.sessionExpiresMs === undefined ? null : { expiresDate: user.sessionExpiresMs },
    signIn: {
      password: hasPasswordSignIn,
      oidc: browserSignIn !== undefined,
      ...(isTrial && { evaluationUsers: evaluationPasswords }),
    },
  };
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"logbooks":`);
  yield* jsonArrayChunks(encodeEach(accessibleLogbooks(deps, user)));
  yield Buffer.from('}');
}

async function* accessibleLogbooks({ storage, permissions }: MeRoutesDeps, user: CurrentUser | undefined) {
  const principal = user?.principal;
  for await (const { name } of listItems(storage.committed.catalog, 'logbooks')) {
    if (!permissions.mayRead(principal, { logbooks: [{ name }] })) continue;
    yield { name, read: true, write: principal !== undefined && permissions.mayWriteEntries(principal, name) };
  }
}
