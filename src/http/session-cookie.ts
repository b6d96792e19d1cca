import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../auth/sessions.js';

export type SameSite = 'lax' | 'none';

const name = 'SESSION';

/** The secret of the session that a request belongs to, valid or not. */
export function sessionTokenOf(request: FastifyRequest): string | undefined {
  return request.cookies[name];
}

/** Puts the browser into a new session; the one that it was in ends. */
export async function enterSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, token, sameSite }: { sessions: Sessions; token: string; sameSite: SameSite },
): Promise<void> {
  await endSession(request, sessions);
  reply.setCookie(name, token, cookieOptions(request, sameSite));
}

/** Ends the session of the request and takes it from the browser. */
export async function leaveSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, sameSite }: { sessions: Sessions; sameSite: SameSite },
): Promise<void> {
  await endSession(request, sessions);
  reply.clearCookie(name, cookieOptions(request, sameSite));
}

async function endSession(request: FastifyRequest, sessions: Sessions): Promise<void> {
  const token = sessionTokenOf(request);
  if (token !== undefined) await sessions.close(token);
}

function cookieOptions(request: FastifyRequest, sameSite: SameSite) {
  const secure = request.protocol === 'https';
  // Browsers refuse SameSite=None without Secure.
  return { path: '/', httpOnly: true, secure, sameSite: secure ? sameSite : 'lax' } as const;
}
