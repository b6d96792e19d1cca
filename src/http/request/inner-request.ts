import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
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
  /** Time after which a retry makes sense; undefined: unknown. */
  readonly retryAfterSeconds?: number | undefined;
}

export interface InnerLimits {
  /** Aborts the request, like a client that disconnects. */
  readonly signal: AbortSignal;
  /** Time after which the request fails, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum size of the body of the answer. */
  readonly maxBytes: number;
}

/** The answer is longer than the caller accepts. */
export class InnerAnswerTooLong extends Error {
  override readonly name = 'InnerAnswerTooLong';
}

/**
 * Sends a request to the service itself on behalf of the sender of `outer`, with that sender's `Authorization` header
 * and address. It is subject to the same sign-in, permissions, admission, limits and logging as any other request. It
 * is handed to the server as if it had been parsed, because a client and a parser for it would cost several times the
 * request itself. This also works where no plain listener is open.
 * @throws InnerAnswerTooLong
 * @throws Error when the signal aborts, no answer arrives in time, or the response breaks off
 */
export function sendInnerRequest(
  outer: FastifyRequest,
  inner: InnerRequest,
  { signal, timeoutMs, maxBytes }: InnerLimits,
): Promise<InnerAnswer> {
  const socket = new InnerSocket(outer);
  const incoming = receive(outer, inner, socket);
  const response = new InnerResponse(incoming, maxBytes);
  response.assignSocket(socket as unknown as Socket);
  return new Promise((resolve, reject) => {
    // A disconnect of the client stops the work for it.
    const disconnect = () => {
      incoming.destroy();
      socket.destroy();
    };
    const fail = (error: Error) => {
      reject(error);
      disconnect();
    };
    const expire = () => fail(new Error(`no answer within ${Math.round(timeoutMs / 1_000)} s`));
    const abort = () => fail(new Error('the request was aborted', { cause: signal.reason }));
    response.onTooLong = () => fail(new InnerAnswerTooLong(`the answer has more than ${maxBytes} bytes`));
    response.once('finish', () => {
      // The body of a request that was refused early was never read.
      incoming.resume();
      socket.end();
      try {
        resolve(response.answer());
      } catch (error) {
        reject(error);
      }
    });
    response.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (!response.writableFinished) reject(new Error('the response broke off'));
    });
    const timer = setTimeout(expire, timeoutMs);
    if (signal.aborted) return abort();
    if (timeoutMs <= 0) return expire();
    signal.addEventListener('abort', abort);
    outer.server.server.emit('request', incoming, response);
  });
}

/** Discards the bytes of a response, and looks like the sender's connection. */
class InnerSocket extends Writable {
  readonly remoteAddress: string;
  readonly encrypted: boolean;

  constructor({ ip, protocol }: FastifyRequest) {
    // This socket passes no `drain` on to its response, so its buffer must never be full. `maxBytes` limits the writes.
    super({ highWaterMark: Number.MAX_SAFE_INTEGER, decodeStrings: false });
    // The response reports the failure when it closes.
    this.on('error', () => undefined);
    this.remoteAddress = ip;
    this.encrypted = protocol === 'https';
  }

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }

  setTimeout(): this {
    return this;
  }
}

/** Returns a request that has arrived in full. */
function receive(outer: FastifyRequest, { method, path, json, headers }: InnerRequest, socket: InnerSocket) {
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const { authorization } = outer.headers;
  const incoming = new IncomingMessage(socket as unknown as Socket);
  incoming.method = method;
  incoming.url = path;
  incoming.httpVersion = '1.1';
  incoming.httpVersionMajor = 1;
  incoming.httpVersionMinor = 1;
  incoming.headers = {
    host: outer.host,
    accept: 'application/json',
    ...(authorization !== undefined && { authorization }),
    ...(body && { 'content-type': 'application/json', 'content-length': String(body.length) }),
    ...headers,
  };
  incoming.rawHeaders = Object.entries(incoming.headers as Record<string, string>).flat();
  incoming.complete = true;
  if (body) incoming.push(body);
  incoming.push(null);
  return incoming;
}

/** A response that keeps its body. */
class InnerResponse extends ServerResponse {
  onTooLong: () => void = () => undefined;
  private readonly decoder = new StringDecoder('utf8');
  private text = '';
  private bytes = 0;

  constructor(
    request: IncomingMessage,
    private readonly maxBytes: number,
  ) {
    super(request);
    // Once a header is set, Node also remembers those given to `writeHead`.
    this.setHeader('connection', 'close');
  }

  override write(chunk: unknown, ...rest: never[]): boolean {
    this.keep(chunk);
    return super.write(chunk, ...rest);
  }

  override end(chunk?: unknown, ...rest: never[]): this {
    if (typeof chunk !== 'function') this.keep(chunk);
    return super.end(chunk, ...rest);
  }

  /** @throws SyntaxError when the body is not the JSON that its type promises */
  answer(): InnerAnswer {
    const isJson = String(this.getHeader('content-type')).startsWith('application/json') && this.bytes > 0;
    const body: unknown = isJson ? JSON.parse(this.text + this.decoder.end()) : undefined;
    const retryAfter = this.getHeader('retry-after');
    return {
      status: this.statusCode,
      body,
      ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
    };
  }

  private keep(chunk: unknown): void {
    if (chunk === undefined || chunk === null || this.bytes > this.maxBytes) return;
    const isText = typeof chunk === 'string';
    this.bytes += isText ? Buffer.byteLength(chunk) : (chunk as Uint8Array).length;
    if (this.bytes > this.maxBytes) this.onTooLong();
    else this.text += isText ? chunk : this.decoder.write(chunk as Buffer);
  }
}
