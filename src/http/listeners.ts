import { lookup } from 'node:dns/promises';
import { createServer as createHttpsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { joinAddress, openListener, type SocketOptions } from './connections/passed-sockets.js';
import { PendingResponses } from './connections/pending-responses.js';
import type { PassedSockets } from './connections/socket-options.js';
import type { TlsIdentity } from './connections/tls-identity.js';
import { routeUpgrades } from './connections/upgrades.js';
import { refuseUnsupported } from './reply/error-reply.js';
import { deferContinue } from './request/deferred-continue.js';

/** The address of each listener; undefined when it is turned off. */
export interface Addresses {
  readonly http: string | undefined;
  readonly https: string | undefined;
}

export interface ListenOptions {
  readonly host: string;
  readonly httpPort: number | 'off';
  readonly httpsPort: number | 'off';
  /** Undefined when the TLS listener is turned off. */
  readonly tls: TlsIdentity | undefined;
  readonly sockets?: PassedSockets;
}

export interface Listening {
  readonly addresses: Addresses;
  /**
   * Uses this certificate for new connections.
   * @throws Error when the certificate is not usable; the previous one stays in use
   */
  reloadTls(identity: TlsIdentity): void;
  /** Closes all connections immediately, even those with a pending response. */
  readonly terminate: () => void;
}

const tlsSettings = { minVersion: 'TLSv1.2' } as const;
/** Time that pending requests may take once the service is shutting down. */
const drainTimeoutMs = 8_000;

/**
 * Serves the application on two listeners, plain HTTP and TLS, or on one of them. Closing the application closes both:
 * new connections are refused, and pending requests are answered completely unless their clients stop sending.
 * Connections still open after 8 s are terminated.
 */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<Listening> {
  const tlsServer = createHttpsServer({ ...options.tls, ...tlsSettings, requireHostHeader: false });
  const pending = new PendingResponses();
  const terminate = await closeBoth(app, tlsServer, pending);
  await app.ready();
  tlsServer.on('request', app.routing);
  copyTimeouts(app, tlsServer);
  for (const server of [app.server, tlsServer]) {
    pending.watch(server);
    refuseUnsupported(app, server);
    deferContinue(server);
  }
  // One address for both listeners: Fastify would open a server for each address of the name localhost.
  const { address: host } = await lookup(options.host);
  const { httpPort, httpsPort, sockets = {} } = options;
  if (httpsPort !== 'off') {
    const place = { name: 'https', host, port: httpsPort } as const;
    await openListener(place, sockets, tlsServer, (socket) => listenOn(tlsServer, socket));
  }
  if (httpPort !== 'off') {
    const place = { name: 'http', host, port: httpPort } as const;
    await openListener(place, sockets, app.server, (socket) => app.listen({ ...socket }));
  }
  return {
    addresses: {
      http: httpPort === 'off' ? undefined : toUrl('http', app.server.address()),
      https: httpsPort === 'off' ? undefined : toUrl('https', tlsServer.address()),
    },
    reloadTls: (identity) => tlsServer.setSecureContext({ ...identity, ...tlsSettings }),
    terminate,
  };
}

/**
 * Makes closing the application close both listeners once their pending responses are sent.
 * @returns the function that closes all connections immediately
 */
async function closeBoth(app: FastifyInstance, tlsServer: TlsServer, pending: PendingResponses): Promise<() => void> {
  const servers = [app.server, tlsServer];
  const upgrades = servers.map((server) => routeUpgrades(app, server));
  const closeTlsSockets = trackSockets(tlsServer);
  let tlsClosed = Promise.resolve();
  tlsServer.once('listening', () => {
    tlsClosed = new Promise((resolve) => tlsServer.once('close', resolve));
  });
  const terminate = () => {
    for (const server of servers) server.closeAllConnections();
    for (const upgrade of upgrades) upgrade.terminate();
    closeTlsSockets();
  };
  let termination: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    termination = setTimeout(terminate, drainTimeoutMs);
    // close() of an HTTP server would also cut off responses that are still being read.
    for (const server of servers) NetServer.prototype.close.call(server);
  });
  // The hooks of the plugin that is registered last run last. By then, the live streams, which never end on their own,
  // are closed.
  await app.register(async (last) => {
    last.addHook('preClose', async () => {
      await pending.drained();
      // None of the remaining connections has a complete request. Closing only the servers would wait for partial
      // requests.
      for (const server of servers) server.closeAllConnections();
      closeTlsSockets();
      tlsServer.close();
    });
  });
  app.addHook('onClose', async () => {
    await tlsClosed;
    clearTimeout(termination);
  });
  return terminate;
}

/**
 * Returns a function that closes all connections of a TLS server, even those that have not completed the handshake.
 * Node does not list these as connections of the HTTP server yet, but waits for them.
 */
function trackSockets(server: TlsServer): () => void {
  const open = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
}

function copyTimeouts({ server }: FastifyInstance, tlsServer: TlsServer): void {
  tlsServer.timeout = server.timeout;
  tlsServer.requestTimeout = server.requestTimeout;
  tlsServer.headersTimeout = server.headersTimeout;
  tlsServer.keepAliveTimeout = server.keepAliveTimeout;
  for (const listener of server.listeners('clientError')) tlsServer.on('clientError', listener as () => void);
}

function listenOn(server: TlsServer, options: SocketOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function toUrl(scheme: string, address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') return `${scheme}://${address}`;
  return `${scheme}://${joinAddress(address.address, address.port)}`;
}
