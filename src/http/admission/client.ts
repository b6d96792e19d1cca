import type { FastifyRequest } from 'fastify';
import { quoted } from '../../kernel/fault.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type {} from '../request/request-context.js';

/** The client to which a request is attributed: the signed-in user, otherwise the network from which it came. */
export interface Client {
  readonly key: string;
  /** Name of the client in messages. */
  readonly description: string;
}

declare module '../request/request-context.js' {
  interface RequestContext {
    /** Undefined until the request is admitted. */
    client?: Client;
  }
}

/** @param userName undefined: the client is the network address */
export function toClient(userName: string | undefined, request: Pick<FastifyRequest, 'ip'>): Client {
  if (userName !== undefined) return { key: `user ${userName}`, description: `user ${quoted(userName)}` };
  const network = networkOf(request);
  return { key: `address ${network}`, description: `the address ${network}` };
}

/** The client of a request, also of one that was not admitted. */
export function clientKeyOf(request: FastifyRequest): string {
  return request.context.client?.key ?? toClient(undefined, request).key;
}

function networkOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  // The address is unknown once the client has disconnected.
  return networkPrefix((ip as string | undefined) ?? 'unknown');
}
