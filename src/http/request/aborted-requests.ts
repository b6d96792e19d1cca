import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.js';
import { hasBody } from './has-body.js';

/**
 * State of a request when its client left. `upload`: the body had not arrived; `waiting`: no response was ready;
 * `download`: the response was not sent completely.
 */
export type AbortedAt = 'upload' | 'waiting' | 'download';

export interface AbortHandlers {
  readonly onAborted: (request: FastifyRequest, reply: FastifyReply, at: AbortedAt) => void;
  /** Called when the client of an event stream disconnects, which is the normal end of a stream. */
  readonly onStreamLeft: (request: FastifyRequest, reply: FastifyReply) => void;
}

/**
 * Reports each request whose client leaves before the response is sent; Fastify reports only answered requests. A
 * request whose client has already left is not served, because the address of the client is no longer known.
 */
export function watchAborts(app: FastifyInstance, handlers: AbortHandlers): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Reading the address makes Node remember it. Node cannot find it out later if the connection was reset.
    const hasLeft = request.raw.socket.remoteAddress === undefined;
    const report = () => {
      if (reply.raw.writableFinished) return;
      if (isEventStream(reply)) handlers.onStreamLeft(request, reply);
      else handlers.onAborted(request, reply, abortedAt(request, reply));
    };
    if (hasLeft) {
      handlers.onAborted(request, reply, 'waiting');
      throw new Fault('invalid', 'request.aborted', 'The client closed the connection.');
    }
    // A response emits `close` only once, so the report runs once.
    reply.raw.on('close', report);
    // Defers the other hooks, so that a body that arrived together with its headers is complete when they run.
    if (hasBody(request)) queueMicrotask(done);
    else done();
  });
}

function isEventStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream');
}

function abortedAt(request: FastifyRequest, reply: FastifyReply): AbortedAt {
  if (!request.raw.complete) return 'upload';
  return reply.raw.headersSent ? 'download' : 'waiting';
}
