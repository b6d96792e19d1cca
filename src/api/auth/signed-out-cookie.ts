import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const name = 'SIGNED-OUT';
const maxAgeSeconds = 30 * 86_400;

/** The path of the sign-in with OpenID Connect, below the root path. */
export const oidcLoginPath = '/login/oidc';

/**
 * Remembers in the browser that its user has signed out: at a shared console the next sign-in must ask for a password,
 * even if the provider still knows the previous user.
 */
export function setSignedOutCookie(request: FastifyRequest, reply: FastifyReply, rootPath: string): void {
  reply.setCookie(name, '1', { ...cookieOptions(request, rootPath), maxAge: maxAgeSeconds });
}

export function hasSignedOut(request: FastifyRequest): boolean {
  return request.cookies[name] === '1';
}

export function clearSignedOutCookie(request: FastifyRequest, reply: FastifyReply, rootPath: string): void {
  if (hasSignedOut(request)) reply.clearCookie(name, cookieOptions(request, rootPath));
}

function cookieOptions({ protocol }: FastifyRequest, rootPath: string) {
  return {
    path: `${rootPath}${oidcLoginPath}`,
    httpOnly: true,
    secure: protocol === 'https',
    sameSite: 'lax',
  } as const;
}
