import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Cost } from '../admission/cost.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route removes content, although it is a write: it works while there is no space for others. */
    removesContent?: true;
  }
}

/**
 * Refuses requests that would store something while there is no space, before their bodies are read. Requests that
 * remove something are not refused, and neither is signing in, which has no cost.
 * @param requireSpace throws the Fault of the refusal
 */
export function refuseWithoutSpace(
  app: FastifyInstance,
  costOf: (route: RouteOptions) => Cost | undefined,
  requireSpace: () => Promise<void>,
): void {
  app.addHook('onRoute', (route) => {
    const cost = costOf(route);
    if (route.method === 'DELETE' || route.config?.removesContent || (cost !== 'write' && cost !== 'upload')) return;
    // Runs after all other hooks: a user who may not write is refused for that reason.
    route.onRequest = [...[route.onRequest ?? []].flat(), requireSpace];
  });
}
