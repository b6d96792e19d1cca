import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Admission, type AdmissionClass, longBodyBytes, turnOrDisconnect } from './admission.js';
import type {} from './client.js';
import type { Place } from './fair-queue.js';

declare module 'fastify' {
  interface FastifyInstance {
    admission: Admission;
  }
  interface FastifyRequest {
    /** In the queue of the class of its route. */
    place: Place | undefined;
  }
  interface FastifyContextConfig {
    /** What the requests of the route share; requests of other routes are not queued. */
    admission?: RouteClass;
  }
}

/** The class that a route declares. */
export type RouteClass = Exclude<AdmissionClass, 'longWrite'>;

/**
 * Queues the requests of the routes that belong to a class. A request takes its place before its body is read, waits for
 * its turn after that, and leaves when its response is produced: a client that reads slowly holds no slot.
 * @param classOf returns the class of a route; undefined: its requests are not queued
 */
export function admitRequests(
  app: FastifyInstance,
  admission: Admission,
  classOf: (route: RouteOptions) => RouteClass | undefined,
): void {
  app.decorate('admission', admission);
  app.decorateRequest('client', undefined);
  app.decorateRequest('place', undefined);
  app.addHook('onRoute', (route) => {
    const routeClass = classOf(route);
    if (routeClass === undefined) return;
    const enter = async (request: FastifyRequest) => {
      request.place = await admission.enter(request, routeClass === 'write' ? writeClassOf(request) : routeClass);
    };
    route.preParsing = [enter, ...[route.preParsing ?? []].flat()];
    route.preHandler = [...[route.preHandler ?? []].flat(), waitForTurn];
    route.onSend = [leave, ...[route.onSend ?? []].flat()];
  });
}

/** A body of unknown length may be long. */
function writeClassOf({ headers }: FastifyRequest): AdmissionClass {
  const length = headers['content-length'];
  const isLong = length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > longBodyBytes;
  return isLong ? 'longWrite' : 'write';
}

async function waitForTurn({ place }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (place) await turnOrDisconnect(place, reply);
}

/** Also runs before an error is sent, and when the client has disconnected. */
async function leave({ place }: FastifyRequest): Promise<void> {
  place?.leave();
}
