import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../auth/session-store.port.js';
import { expiryOf, type Sessions } from '../../auth/sessions.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { principalOf } from '../access/request-principal.js';
import {
  type IdParams,
  type ListQuery,
  maxListed,
  mayManage,
  type OwnOrAllDeps,
  requestedOwner,
} from './own-or-all.js';
import { endSessionSchema, listSessionsSchema, SessionSchema } from './sessions.schema.js';

export interface SessionRoutesDeps extends OwnOrAllDeps {
  readonly sessions: Sessions;
}

const config = { access: 'password' } as const;

/** Registers the routes that list and end open sessions. */
export async function sessionRoutes(app: FastifyInstance, deps: SessionRoutesDeps): Promise<void> {
  app.addSchema(SessionSchema);
  app.get('/sessions', { config, schema: listSessionsSchema }, listSessionsHandler(deps));
  app.delete('/sessions/:id', { config, schema: endSessionSchema }, endSessionHandler(deps));
}

const listSessionsHandler =
  (deps: SessionRoutesDeps) => async (request: FastifyRequest<{ Querystring: ListQuery }>) => {
    const owner = requestedOwner(principalOf(request), request.query, deps);
    return (await deps.sessions.list(owner, maxListed)).map(toSessionView);
  };

const endSessionHandler =
  (deps: SessionRoutesDeps) => async (request: FastifyRequest<IdParams>, reply: FastifyReply) => {
    const { id } = request.params;
    const session = await deps.sessions.findById(id);
    if (!session || !mayManage(principalOf(request), session.account, deps)) {
      throw new Fault('missing', 'session.not-found', `Session ${quoted(id)} not found.`);
    }
    await deps.sessions.revoke(session);
    return reply.send();
  };

function toSessionView(session: Session) {
  const { id, account, from, createdMs } = session;
  return { id, userName: account.userName, from, createdDate: createdMs, expiresDate: expiryOf(session) };
}
