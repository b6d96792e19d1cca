import type { FastifyRequest } from 'fastify';
import { quoted } from '../../kernel/fault.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type {} from '../request/request-context.js';

declare module '../request/request-context.js' {
  interface RequestContext {
    /** The client to which the request is attributed, see `clientOf`. Undefined until the client is needed. */
    client?: string;
  }
}

const userPrefix = 'user ';

/**
 * Returns the client to which a request is attributed: the signed-in user, otherwise the network from which it came.
 * @param userName undefined: nobody is signed in
 */
export function clientOf(userName: string | undefined, { ip }: Pick<FastifyRequest, 'ip'>): string {
  if (userName !== undefined) return `${userPrefix}${userName}`;
  // The address is unknown once the client has disconnected.
  return `address ${networkPrefix((ip as string | undefined) ?? 'unknown')}`;
}

/** Returns the client of a request, even if the request was not admitted. */
export function clientOfRequest(request: FastifyRequest): string {
  return request.context.client ?? clientOf(undefined, request);
}

export function describeClient(client: string): string {
  return client.startsWith(userPrefix) ? `user ${quoted(client.slice(userPrefix.length))}` : `the ${client}`;
}
