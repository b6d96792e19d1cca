import type { FastifyRequest } from 'fastify';
import type { Right } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';

declare module '../../http/request/request-context.js' {
  interface RequestContext {
    /** The authenticated user; undefined for a reader who is not signed in. */
    principal?: Principal | undefined;
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Access to the route. `open`: everyone, whatever the method; `password`: users signed in by password or session,
     * not by a token; `token`: tokens, whatever their rights; `own-drafts`: every user, and tokens with the right to
     * write entries; a right: users who have it.
     * A route may omit this if it only reads, and returns the same to everyone except for closed logbooks.
     */
    access?: Access;
    /**
     * Refuses pages of other origins even though the route only reads, because browsers let any page open a WebSocket.
     */
    crossOrigin?: 'refused';
  }
}

export type Access = 'open' | 'password' | 'token' | 'own-drafts' | Right;

/** @throws Fault unauthenticated `auth.sign-in-required` */
export function principalOf(request: FastifyRequest): Principal {
  const { access } = request.context.route.config;
  if (!request.context.principal) throw signInNeeded(access);
  return request.context.principal;
}

export function signInNeeded(access?: Access): Fault {
  return new Fault(
    'unauthenticated',
    'auth.sign-in-required',
    access === 'token'
      ? 'An API token is required. Create one in the browser client, under Tokens, and send it in the header “Authorization: Bearer …”.'
      : 'Authentication is required. Send a user name and password, or sign in first.',
  );
}
