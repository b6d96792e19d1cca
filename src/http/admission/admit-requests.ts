import type {
  FastifyInstance,
  onSendHookHandler,
  preHandlerHookHandler,
  preParsingHookHandler,
  RouteOptions,
} from 'fastify';
import type { QueueTicket } from '../../kernel/fair-queue.js';
import { type Admission, longBodyBytes, writeWeight } from './admission.js';
import type { Cost } from './cost.js';
import { takesSlot, turnOrDisconnect } from './turn-or-disconnect.js';

declare module '../request/request-context.js' {
  interface RequestContext {
    /** Ticket of the request in the queue of its route's cost. */
    ticket?: QueueTicket;
    isLongWrite?: boolean;
    /** Time that the request waited for its turn; undefined when it did not have to take a turn. */
    waitedMs?: number;
    /**
     * Takes the ticket of a request whose body has arrived; undefined when the request takes its ticket earlier or
     * needs none.
     */
    onBodyArrived?: (bytes: number) => Promise<void>;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    admission: Admission;
  }
}

/**
 * Queues the requests of the routes that have a cost. A write takes its ticket when its body has arrived, so that a
 * connection on which nothing arrives takes none. Other requests take theirs before the body is read.
 * Every request then waits for its turn, and leaves when its response is produced, so that a client that reads slowly
 * does not hold a slot.
 * @param costOf returns the cost of a route; undefined: its requests are not queued
 * @param onTurn is called when it is the turn of a request
 */
export function admitRequests(
  app: FastifyInstance,
  admission: Admission,
  costOf: (route: RouteOptions) => Cost | undefined,
  onTurn: (cost: Cost, waitedMs: number) => void,
): void {
  app.decorate('admission', admission);
  app.addHook('onRoute', (route) => {
    const cost = costOf(route);
    if (cost === undefined) return;
    const first = cost === 'write' ? enterWithBody(admission) : enter(admission, cost);
    route.preParsing = [first, ...[route.preParsing ?? []].flat()];
    route.preHandler = [...[route.preHandler ?? []].flat(), waitForTurn(cost, onTurn)];
    const stores = cost === 'write' || cost === 'upload';
    route.onSend = [stores ? leave(admission) : leaveSoon(admission), ...[route.onSend ?? []].flat()];
  });
}

/** Makes the hook by which a request takes its ticket. */
const enter =
  (admission: Admission, cost: Cost): preParsingHookHandler =>
  (request, _reply, _payload, done) => {
    const { context } = request;
    const ticket = admission.enter(request, cost);
    if (ticket instanceof Promise) {
      return ticket.then((taken) => {
        context.ticket = taken;
      });
    }
    context.ticket = ticket;
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
      const work = context.isLongWrite ? 'longWrite' : 'write';
      context.ticket = await admission.enter(request, work, { weight: writeWeight(bytes) });
    };
    done();
  };

/** Makes the hook in which a request waits for its turn, if it has to. */
const waitForTurn =
  (cost: Cost, onTurn: (cost: Cost, waitedMs: number) => void): preHandlerHookHandler =>
  ({ context }, reply, done) => {
    const start = (waitedMs: number) => {
      context.waitedMs = waitedMs;
      onTurn(cost, waitedMs);
    };
    const wait = async () => {
      // The request has no body.
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

/** Makes the hook by which a request leaves. The hook also runs before an error is sent and after a disconnect. */
const leave =
  (admission: Admission): onSendHookHandler =>
  ({ context: { ticket, isLongWrite } }, reply, payload, done) => {
    if (ticket && reply.statusCode < 400) admission.leaveAfterSuccess(ticket, isLongWrite ? 'longWrite' : 'write');
    else ticket?.leave();
    done(null, payload);
  };

/** Makes the hook by which a request that stores nothing leaves. */
const leaveSoon =
  (admission: Admission): onSendHookHandler =>
  ({ context: { ticket } }, _reply, payload, done) => {
    if (ticket) admission.leaveSoon(ticket);
    done(null, payload);
  };
