import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Cost } from '../admission/cost.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a write that removes content, and therefore works while there is no space for other writes. */
    removesContent?: true;
  }
}

/**
 * Refuses requests that would store something while there is no space, before their bodies are read. Requests that
 * remove something are not refused. Signing in is not refused either, because it has no cost.
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
    // Runs after all other hooks, so that a user without permission to write learns of that instead.
    route.onRequest = [...[route.onRequest ?? []].flat(), requireSpace];
  });
}
