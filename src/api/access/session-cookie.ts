import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator, RequestCredentials } from '../../auth/authenticator.js';

export type SameSite = 'lax' | 'none';

const name = 'SESSION';

/** The secret of the session that a request belongs to, valid or not. */
function sessionTokenOf(request: FastifyRequest): string | undefined {
  return request.cookies[name];
}

/** What a request carries that tells who is asking. */
export function requestCredentials(request: FastifyRequest): RequestCredentials {
  return {
    authorization: request.headers.authorization,
    sessionSecret: sessionTokenOf(request),
    from: request.ip,
  };
}

/** Puts the browser into a new session; the one that it was in ends. */
export async function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticator, token, sameSite }: { authenticator: Authenticator; token: string; sameSite: SameSite },
): Promise<void> {
  await endSession(request, authenticator);
  reply.setCookie(name, token, cookieOptions(request, sameSite));
}

/** Ends the session of the request and takes it from the browser. */
export async function clearSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticator, sameSite }: { authenticator: Authenticator; sameSite: SameSite },
): Promise<void> {
  // Also when the session itself cannot be ended, as on a full disk.
  reply.clearCookie(name, cookieOptions(request, sameSite));
  await endSession(request, authenticator);
}

async function endSession(request: FastifyRequest, authenticator: Authenticator): Promise<void> {
  const token = sessionTokenOf(request);
  if (token !== undefined) await authenticator.signOut(token, request.ip);
}

function cookieOptions(request: FastifyRequest, sameSite: SameSite) {
  const secure = request.protocol === 'https';
  // Browsers refuse SameSite=None without Secure.
  return { path: '/', httpOnly: true, secure, sameSite: secure ? sameSite : 'lax' } as const;
}
