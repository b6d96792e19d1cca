import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.js';
import { hasBody } from './has-body.js';

/** How far a request had come when its client left: its body had not arrived, no response was ready, or not all of it was sent. */
export type AbortedAt = 'upload' | 'waiting' | 'download';

export interface AbortHandlers {
  readonly onAborted: (request: FastifyRequest, reply: FastifyReply, at: AbortedAt) => void;
  /** An event stream ends only when its client leaves. */
  readonly onStreamLeft: (request: FastifyRequest, reply: FastifyReply) => void;
}

/**
 * Reports each request whose client leaves before the response is sent; Fastify reports only those that are answered.
 * A request that arrives after its client has left is not served: its address is not known any more.
 */
export function watchAborts(app: FastifyInstance, handlers: AbortHandlers): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Node remembers the address once it was read; later, on a connection that was reset, it could not find it out.
    const hasLeft = request.raw.socket.remoteAddress === undefined;
    const report = () => {
      if (reply.raw.writableFinished) return;
      if (isEventStream(reply)) handlers.onStreamLeft(request, reply);
      else handlers.onAborted(request, reply, abortedAt(request, reply));
    };
    if (hasLeft) {
      handlers.onAborted(request, reply, 'waiting');
      throw new Fault('invalid', 'request.aborted', 'The client has left.');
    }
    // A response closes once.
    reply.raw.on('close', report);
    // A body that arrived together with its headers is complete when the other hooks run.
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
