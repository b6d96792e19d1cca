import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * State of one request, from its first hook to its last. Each module declares its own fields here, by declaration
 * merging, next to the hooks that set them.
 */
export interface RequestContext {
  /** The route of the request, kept because Fastify assembles its description at each access. */
  readonly route: FastifyRequest['routeOptions'];
  /** The code of the error that was sent. */
  faultCode?: string;
}

const contextKey = Symbol('context');

declare module 'fastify' {
  interface FastifyRequest {
    readonly context: RequestContext;
    [contextKey]: RequestContext | null;
  }
}

/** Gives each request a context, including a request that is refused before routing and runs no hooks. */
export function provideContext(app: FastifyInstance): void {
  app.decorateRequest(contextKey, null);
  app.decorateRequest('context', {
    getter() {
      this[contextKey] ??= { route: this.routeOptions };
      return this[contextKey];
    },
  });
}
