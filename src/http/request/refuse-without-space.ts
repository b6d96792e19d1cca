import type { FastifyInstance, RouteOptions } from 'fastify';
import type { RouteClass } from '../admission/admit-requests.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route removes content, although it is a write: it works while there is no space for others. */
    removesContent?: true;
  }
}

/**
 * Refuses requests that would store something while there is no space, before their bodies are read. Requests that
 * remove something are not refused, and neither is signing in, which belongs to no class.
 * @param requireSpace throws the Fault of the refusal
 */
export function refuseWithoutSpace(
  app: FastifyInstance,
  classOf: (route: RouteOptions) => RouteClass | undefined,
  requireSpace: () => Promise<void>,
): void {
  app.addHook('onRoute', (route) => {
    const routeClass = classOf(route);
    if (
      route.method === 'DELETE' ||
      route.config?.removesContent ||
      (routeClass !== 'write' && routeClass !== 'upload')
    )
      return;
    // Runs after all other hooks: a user who may not write is refused for that reason.
    route.onRequest = [...[route.onRequest ?? []].flat(), requireSpace];
  });
}
