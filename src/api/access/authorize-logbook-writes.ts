import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import { principalOf } from './request-principal.js';

/** Refuses to change or remove a logbook for users who may not write to it, whatever their rights on other logbooks. */
export function authorizeLogbookWrites(app: FastifyInstance, permissions: Permissions): void {
  const check: preHandlerHookHandler = (request, _reply, done) => {
    permissions.checkWriteAccess(principalOf(request), { logbooks: namedLogbooks(request) });
    done();
  };
  app.addHook('onRoute', (route) => {
    if (route.config?.access === 'logbooks') route.preHandler = [check, ...[route.preHandler ?? []].flat()];
  });
}

function namedLogbooks({ params, body }: FastifyRequest): { readonly name: string }[] {
  const inBody = ([body].flat() as ({ readonly name?: unknown } | null | undefined)[]).map((one) => one?.name);
  const names = [...Object.values(params as Record<string, unknown>), ...inBody];
  return names.flatMap((name) => (typeof name === 'string' ? [{ name }] : []));
}
