import { lookup } from 'node:dns/promises';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { PendingResponses } from './connections/pending-responses.js';
import type { TlsIdentity } from './connections/tls-identity.js';
import { routeUpgrades } from './connections/upgrades.js';

export interface Addresses {
  readonly http: string;
  readonly https: string;
}

export interface ListenOptions {
  readonly host: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly tls: TlsIdentity;
}

export interface Listening {
  readonly addresses: Addresses;
  /**
   * New connections get this certificate.
   * @throws Error when it cannot be used; the one before stays
   */
  renewTls(identity: TlsIdentity): void;
}

const tlsSettings = { minVersion: 'TLSv1.2' } as const;
/** How long requests in flight may take once the service is stopping. */
const finishMs = 8_000;

/**
 * Serves one application on two listeners, plain HTTP and TLS. Closing the application closes both: no new
 * connections, requests in flight are answered to the last byte, what is left after 8 s is cut.
 */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<Listening> {
  let tlsServer: TlsServer;
  try {
    tlsServer = createTlsServer({ ...options.tls, ...tlsSettings });
  } catch (error) {
    throw new Error(`The certificate or its key cannot be used: ${(error as Error).message}.`, { cause: error });
  }
  const closed = new Promise<void>((resolve) => tlsServer.once('close', resolve));
  let cut: NodeJS.Timeout | undefined;
  const upgrades: { readonly cut: () => void }[] = [];
  const busy = new PendingResponses();
  app.addHook('preClose', async () => {
    cut = setTimeout(() => {
      app.server.closeAllConnections();
      tlsServer.closeAllConnections();
      for (const { cut: cutUpgrades } of upgrades) cutUpgrades();
    }, finishMs);
    // The close of an HTTP server would cut off answers that are being read.
    for (const server of [app.server, tlsServer]) NetServer.prototype.close.call(server);
  });
  // The hooks of a plugin that comes last run last: live streams, which have no end of their own, are over by then.
  await app.register(async (last) => {
    last.addHook('preClose', async () => {
      await busy.none();
      tlsServer.close();
    });
  });
  let isOpen = false;
  app.addHook('onClose', async () => {
    if (isOpen) await closed;
    clearTimeout(cut);
  });
  await app.ready();
  tlsServer.on('request', app.routing);
  copyTimeouts(app, tlsServer);
  upgrades.push(routeUpgrades(app, app.server), routeUpgrades(app, tlsServer));
  for (const server of [app.server, tlsServer]) busy.watch(server);
  // One address for both: of the name localhost the framework would make a server for each address that it has.
  const { address: host } = await lookup(options.host);
  await listenOn(tlsServer, host, options.httpsPort);
  isOpen = true;
  await app.listen({ host, port: options.httpPort });
  return {
    addresses: { http: addressOf('http', app.server.address()), https: addressOf('https', tlsServer.address()) },
    renewTls: (identity) => tlsServer.setSecureContext({ ...identity, ...tlsSettings }),
  };
}

function copyTimeouts({ server }: FastifyInstance, tlsServer: TlsServer): void {
  tlsServer.timeout = server.timeout;
  tlsServer.requestTimeout = server.requestTimeout;
  tlsServer.headersTimeout = server.headersTimeout;
  tlsServer.keepAliveTimeout = server.keepAliveTimeout;
  for (const listener of server.listeners('clientError')) tlsServer.on('clientError', listener as () => void);
}

function listenOn(server: TlsServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function addressOf(scheme: string, address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') return `${scheme}://${address}`;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${scheme}://${host}:${address.port}`;
}
