import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';

/** A connection whose client requested a protocol other than HTTP. */
export interface Upgrade {
  readonly socket: Duplex;
  /** The bytes that arrived after the request. */
  readonly head: Buffer;
  /** Detaches the connection from the HTTP response; the caller then owns it. */
  take(): void;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Returns the upgrade that the request asks for; undefined for a plain request. */
export function findUpgrade(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request);
}

/**
 * Passes requests for a WebSocket to the routes, which respond to them or take over the connection. A request for any
 * other protocol, such as HTTP/2 in plain text, is served as plain HTTP.
 * @returns a function that terminates all connections that ever asked for an upgrade
 */
export function routeUpgrades(app: FastifyInstance, server: Server): { readonly terminate: () => void } {
  // Node stops tracking a connection that asks for an upgrade, so closeAllConnections() would miss it.
  const open = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A connection that was served without the upgrade may ask a second time.
    if (!open.has(socket)) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      socket.on('error', () => socket.destroy());
    }
    routeUpgrade(app, server, request, socket, head);
  });
  const terminate = () => {
    for (const socket of open) socket.destroy();
  };
  return { terminate };
}

function routeUpgrade(
  app: FastifyInstance,
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  try {
    response.assignSocket(socket as never);
  } catch {
    // The connection still belongs to the response to an earlier request.
    socket.destroy();
    return;
  }
  // Only a GET can become a WebSocket. The body of any other request is unread and must reach the server.
  if (request.method !== 'GET' || request.headers.upgrade?.trim().toLowerCase() !== 'websocket') {
    response.detachSocket(socket as never);
    serveWithoutUpgrade(server, request, socket, head);
    return;
  }
  // A response sent instead of the upgrade is the last one on the connection.
  response.once('finish', () => (socket as Socket).destroySoon());
  upgrades.set(request, { socket, head, take: () => response.detachSocket(socket as never) });
  app.routing(request, response);
}

const upgradeHeaders = new Set(['upgrade', 'http2-settings']);

/**
 * Passes the request back to the server without its upgrade headers. Its body has not been read from the connection,
 * except for the bytes in `head`.
 */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  let text = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? '';
    let value = request.rawHeaders[at + 1] ?? '';
    if (upgradeHeaders.has(name.toLowerCase())) continue;
    if (name.toLowerCase() === 'connection') {
      const options = value.split(',').filter((option) => !upgradeHeaders.has(option.trim().toLowerCase()));
      if (options.length === 0) continue;
      value = options.join(',');
    }
    text += `${name}: ${value}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}
