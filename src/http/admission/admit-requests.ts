import type {
  FastifyInstance,
  onSendHookHandler,
  preHandlerHookHandler,
  preParsingHookHandler,
  RouteOptions,
} from 'fastify';
import type { QueueTicket } from '../../kernel/fair-queue.js';
import { type Admission, type AdmissionClass, longBodyBytes } from './admission.js';
import type {} from './client.js';
import { takesSlot, turnOrDisconnect } from './turn-or-disconnect.js';

declare module '../request/request-context.js' {
  interface RequestContext {
    /** Ticket of the request in the queue of its route's class. */
    ticket?: QueueTicket;
    isLongWrite?: boolean;
    /** How long the request waited for its turn; undefined when it needed none. */
    waitedMs?: number;
    /** Takes the ticket of a request whose body has arrived; undefined when it has none to take. */
    onBodyArrived?: (bytes: number) => Promise<void>;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    admission: Admission;
  }
  interface FastifyContextConfig {
    /** Class of the route, whose requests share a queue. Requests of routes without a class are not queued. */
    admission?: RouteClass | 'none';
  }
}

/** The class that a route declares. */
export type RouteClass = Exclude<AdmissionClass, 'longWrite' | 'page'>;

/**
 * Queues the requests of the routes that belong to a class. A write takes its ticket when its body has arrived, so that
 * connections on which nothing arrives use up no room; any other request before its body is read. It waits for its
 * turn after that, and leaves when its response is produced: a client that reads slowly holds no slot.
 * @param classOf returns the class of a route; undefined: its requests are not queued
 * @param onTurn is called when it is the turn of a request
 */
export function admitRequests(
  app: FastifyInstance,
  admission: Admission,
  classOf: (route: RouteOptions) => RouteClass | undefined,
  onTurn: (routeClass: RouteClass, waitedMs: number) => void,
): void {
  app.decorate('admission', admission);
  app.addHook('onRoute', (route) => {
    const routeClass = classOf(route);
    if (routeClass === undefined) return;
    const isRead = routeClass === 'shortRead' || routeClass === 'read';
    const first = routeClass === 'write' ? enterWithBody(admission) : enter(admission, routeClass);
    route.preParsing = [first, ...[route.preParsing ?? []].flat()];
    route.preHandler = [...[route.preHandler ?? []].flat(), waitForTurn(routeClass, onTurn)];
    route.onSend = [isRead ? leaveInNextRound() : leave(admission), ...[route.onSend ?? []].flat()];
  });
}

/** Makes the hook by which a request takes its ticket. */
const enter =
  (admission: Admission, routeClass: RouteClass): preParsingHookHandler =>
  (request, _reply, _payload, done) => {
    const keep = (ticket: QueueTicket) => {
      request.context.ticket = ticket;
    };
    const ticket = admission.enter(request, routeClass);
    if (ticket instanceof Promise) return ticket.then(keep);
    keep(ticket);
    done();
    return undefined;
  };

/** Makes the hook by which a request takes its ticket when its body has arrived. */
const enterWithBody =
  (admission: Admission): preParsingHookHandler =>
  (request, _reply, _payload, done) => {
    const { context } = request;
    context.onBodyArrived = async (bytes) => {
      context.isLongWrite = bytes > longBodyBytes;
      context.ticket = await admission.enter(request, context.isLongWrite ? 'longWrite' : 'write');
    };
    done();
  };

/** Makes the hook in which a request waits for its turn, if it has to. */
const waitForTurn =
  (routeClass: RouteClass, onTurn: (routeClass: RouteClass, waitedMs: number) => void): preHandlerHookHandler =>
  ({ context }, reply, done) => {
    const start = (waitedMs: number) => {
      context.waitedMs = waitedMs;
      onTurn(routeClass, waitedMs);
    };
    const wait = async () => {
      // A request without a body.
      if (!context.ticket) await context.onBodyArrived?.(0);
      if (!context.ticket) return;
      const startedMs = performance.now();
      await turnOrDisconnect(context.ticket, reply);
      start(performance.now() - startedMs);
    };
    if (!context.ticket || !takesSlot(context.ticket, reply)) return wait();
    start(0);
    done();
    return undefined;
  };

/** Makes the hook by which a request leaves; it also runs before an error is sent, and when the client has disconnected. */
const leave =
  (admission: Admission): onSendHookHandler =>
  ({ context: { ticket, isLongWrite } }, reply, payload, done) => {
    if (ticket && reply.statusCode < 400) admission.leaveAfterSuccess(ticket, isLongWrite ? 'longWrite' : 'write');
    else ticket?.leave();
    done(null, payload);
  };

/**
 * Makes the hook by which a read leaves. Most reads end in the round of the event loop in which they began. When the
 * next ones began in it too, the requests of other clients would not be received before all waiting ones are answered.
 */
function leaveInNextRound(): onSendHookHandler {
  let leaving: QueueTicket[] = [];
  const leaveAll = () => {
    const tickets = leaving;
    leaving = [];
    for (const ticket of tickets) ticket.leave();
  };
  return ({ context: { ticket } }, _reply, payload, done) => {
    if (ticket && leaving.push(ticket) === 1) setImmediate(leaveAll);
    done(null, payload);
  };
}
