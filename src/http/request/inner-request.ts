import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { FastifyRequest } from 'fastify';

/** A request that the service sends to itself. */
export interface InnerRequest {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  /** Body of the request; undefined when it has none. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface InnerAnswer {
  readonly status: number;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: unknown;
}

export interface InnerLimits {
  /** Aborts the request, like a client that disconnects. */
  readonly signal: AbortSignal;
  /** Maximum size of the body of the answer. */
  readonly maxBytes: number;
}

/** The answer is longer than the caller accepts. */
export class InnerAnswerTooLong extends Error {
  override readonly name = 'InnerAnswerTooLong';
}

/**
 * Sends a request to the service itself on behalf of the sender of another one, with the credentials and the address of
 * that sender. It is subject to the same sign-in, permissions, admission, limits and logging as any other request. The
 * connection is in memory, so that it also works where no plain listener is open.
 * @throws InnerAnswerTooLong
 * @throws Error when the signal aborts, or the connection ends before the answer does
 */
export function sendInnerRequest(
  outer: FastifyRequest,
  { method, path, json, headers }: InnerRequest,
  { signal, maxBytes }: InnerLimits,
): Promise<InnerAnswer> {
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const sent = httpRequest({
    method,
    path,
    signal,
    createConnection: () => connect(outer),
    headers: {
      host: outer.host,
      connection: 'close',
      accept: 'application/json',
      ...(outer.headers.authorization !== undefined && { authorization: outer.headers.authorization }),
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
      ...headers,
    },
  });
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      readAnswer(response, maxBytes).then(resolve, (error: unknown) => {
        sent.destroy();
        reject(error);
      });
    });
    sent.end(body);
  });
}

/** Opens a connection to the service that looks like that of the sender. */
function connect({ server: { server }, ip, protocol }: FastifyRequest): Duplex {
  const [client, served] = duplexPair();
  Object.defineProperties(served, {
    remoteAddress: { value: ip },
    encrypted: { value: protocol === 'https' },
  });
  // A disconnect of the client stops the work for it, and a response that breaks off ends the client's connection.
  client.once('close', () => served.destroy());
  served.once('close', () => client.destroy());
  served.on('error', () => undefined);
  server.emit('connection', served);
  return client;
}

async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<InnerAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new InnerAnswerTooLong(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const isJson = response.headers['content-type']?.startsWith('application/json') && bytes > 0;
  return {
    status: response.statusCode ?? 0,
    body: isJson ? JSON.parse(Buffer.concat(chunks).toString()) : undefined,
  };
}
