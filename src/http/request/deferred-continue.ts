import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** The responses to requests whose clients wait for `100 Continue` before they send their body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Leaves the response to `Expect: 100-continue` to `sendContinue`. Node would ask even for a body that is refused
 * afterwards.
 */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
}

/** Asks for the body, if its client waits for that. Called before the body is read. */
export function sendContinue(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (!waiting.delete(request)) return;
  response?.writeContinue();
}

/** Returns whether the client still waits to be asked for the body; it may then send its next request instead. */
export function isAwaitingContinue(request: IncomingMessage): boolean {
  return waiting.has(request) && !request.complete;
}
