import type { FastifyRequest } from 'fastify';
import type { Right } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; undefined for a reader who is not. */
    principal: Principal | undefined;
  }
  interface FastifyContextConfig {
    /**
     * Who may use a route. `open`: anybody, whatever the method; `password`: whoever is signed in by password or
     * session, not by a token; a right: whoever has it. A route that only reads needs none of them.
     */
    access?: Access;
    /** Refused to pages of other origins although it only reads: browsers let any page open a WebSocket. */
    crossOrigin?: 'refused';
  }
}

export type Access = 'open' | 'password' | Right;

export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw signInNeeded();
  return request.principal;
}

export function signInNeeded(): Fault {
  return new Fault(
    'unauthenticated',
    'auth.sign-in-required',
    'This needs sign-in: send a user name and a password, or sign in first.',
  );
}
