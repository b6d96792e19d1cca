import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator, EndedSession, RequestCredentials } from '../../auth/authenticator.js';
import { isSessionSecret } from '../../auth/sessions.js';

export type SameSite = 'lax' | 'none';

const name = 'SESSION';

/**
 * Returns the session secret that the request carries, valid or not. A browser sends several cookies of this name if
 * another service on the same host, such as an Olog server, has set one for its own path.
 */
function sessionTokenOf({ headers: { cookie = '' } }: FastifyRequest): string | undefined {
  for (const one of cookie.split(';')) {
    const [key, secret = ''] = one.trim().split('=', 2);
    if (key === name && isSessionSecret(secret)) return secret;
  }
  return undefined;
}

export function requestCredentials(request: FastifyRequest): RequestCredentials {
  return {
    authorization: request.headers.authorization,
    sessionSecret: sessionTokenOf(request),
    from: request.ip,
  };
}

/** Sets the cookie of a new session and ends the previous session of the browser. */
export async function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticator, token, sameSite }: { authenticator: Authenticator; token: string; sameSite: SameSite },
): Promise<void> {
  await endSession(request, authenticator);
  reply.setCookie(name, token, cookieOptions(request, sameSite));
}

/** Ends the session of the request and removes its cookie. Returns the session; undefined if there was none. */
export async function clearSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticator, sameSite }: { authenticator: Authenticator; sameSite: SameSite },
): Promise<EndedSession | undefined> {
  // The cookie is cleared before the session is ended, because ending it fails on a full disk.
  reply.clearCookie(name, cookieOptions(request, sameSite));
  return endSession(request, authenticator);
}

async function endSession(request: FastifyRequest, authenticator: Authenticator): Promise<EndedSession | undefined> {
  const token = sessionTokenOf(request);
  return token === undefined ? undefined : authenticator.signOut(token, request.ip);
}

function cookieOptions(request: FastifyRequest, sameSite: SameSite) {
  const secure = request.protocol === 'https';
  // Browsers reject SameSite=None without Secure.
  return { path: '/', httpOnly: true, secure, sameSite: secure ? sameSite : 'lax' } as const;
}
