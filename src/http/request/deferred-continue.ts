import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** The responses to requests whose clients wait for `100 Continue` before they send their body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Leaves the response to `Expect: 100-continue` to `sendContinue`. Node would ask for the body before the request can
 * be refused.
 */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
}

/** Asks for the body if its client waits for that. Must be called before the body is read. */
export function sendContinue(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (!waiting.delete(request)) return;
  response?.writeContinue();
}

/** Returns whether the client still waits to be asked for its body. Such a client may send its next request instead. */
export function isAwaitingContinue(request: IncomingMessage): boolean {
  return waiting.has(request) && !request.complete;
}
