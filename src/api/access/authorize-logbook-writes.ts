import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import { principalOf } from './request-principal.js';

/**
 * Refuses a change or removal of a logbook by users who may not write to it, whatever their rights on other logbooks.
 */
export function authorizeLogbookWrites(app: FastifyInstance, permissions: Permissions): void {
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.routeOptions.config.access === 'logbooks')
      permissions.checkWriteAccess(principalOf(request), { logbooks: namedLogbooks(request) });
    done();
  });
}

/** The logbooks that the request names in its path and its body. */
function namedLogbooks({ params, body }: FastifyRequest): { readonly name: string }[] {
  const inBody = ([body].flat() as ({ readonly name?: unknown } | null | undefined)[]).map((one) => one?.name);
  const names = [...Object.values(params as Record<string, unknown>), ...inBody];
  return names.flatMap((name) => (typeof name === 'string' ? [{ name }] : []));
}
