import type { FastifyRequest } from 'fastify';
import type { Principal } from '../auth/principal.js';
import { Fault } from '../kernel/fault.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; undefined for a reader who is not. */
    principal: Principal | undefined;
  }
  interface FastifyContextConfig {
    /** `open`: also without sign-in, whatever the method. */
    access?: 'open';
  }
}

export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw signInNeeded();
  return request.principal;
}

export function signInNeeded(): Fault {
  return new Fault(
    'unauthenticated',
    'auth.sign-in-needed',
    'This needs sign-in: send a user name and a password, or sign in first.',
  );
}
