import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';

/** A connection that its client wants to use for something else than HTTP. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What arrived behind the request. */
  readonly head: Buffer;
  /** Lets go of the connection, which is then nobody's but the taker's. */
  take(): void;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** The upgrade that a request asks for; undefined for a plain one. */
export function findUpgrade(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request);
}

/**
 * Requests that ask for a WebSocket go to the routes like all others, which answer them or take the connection. What
 * asks for any other protocol, such as HTTP/2 in plain text, is served as if it had not asked.
 * @returns the way to end all connections that ever asked
 */
export function routeUpgrades(app: FastifyInstance, server: Server): { readonly cut: () => void } {
  // The server lets go of a connection that asks for something else.
  const open = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // One that is served without may ask again.
    if (!open.has(socket)) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      socket.on('error', () => socket.destroy());
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket as never);
    } catch {
      // It asked before it had its last answer, which the connection is still kept for.
      socket.destroy();
      return;
    }
    if (request.headers.upgrade?.trim().toLowerCase() !== 'websocket') {
      response.detachSocket(socket as never);
      serveWithout(server, request, socket, head);
      return;
    }
    // An answer in place of the upgrade is the last of the connection.
    response.once('finish', () => (socket as Socket).destroySoon());
    upgrades.set(request, { socket, head, take: () => response.detachSocket(socket as never) });
    app.routing(request, response);
  });
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return { cut };
}

const hopHeaders = new Set(['upgrade', 'http2-settings']);

/** Gives the request back to the server without the wish; it has taken no more than the head from the connection. */
function serveWithout(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  let text = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? '';
    let value = request.rawHeaders[at + 1] ?? '';
    if (hopHeaders.has(name.toLowerCase())) continue;
    if (name.toLowerCase() === 'connection') {
      const kept = value.split(',').filter((option) => !hopHeaders.has(option.trim().toLowerCase()));
      if (kept.length === 0) continue;
      value = kept.join(',');
    }
    text += `${name}: ${value}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}
