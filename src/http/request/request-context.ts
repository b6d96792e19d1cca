import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * State of one request, from its first hook to its last. Each module declares its own fields here, by declaration
 * merging, next to the hooks that set them.
 */
export interface RequestContext {
  /** The route of the request. Fastify assembles its description again each time it is asked for it. */
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

/** Gives each request a context. It also exists where no hook has run, as for a request that is refused before routing. */
export function provideContext(app: FastifyInstance): void {
  app.decorateRequest(contextKey, null);
  app.decorateRequest('context', {
    getter() {
      this[contextKey] ??= { route: this.routeOptions };
      return this[contextKey];
    },
  });
}
