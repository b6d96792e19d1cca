import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { Fault } from '../../kernel/fault.js';
import type { ConnectionsPerAddress } from './connections-per-address.js';
import { findUpgrade } from './upgrades.js';

export interface WebSocketOptions {
  readonly maxConnections: number;
  readonly byAddress: ConnectionsPerAddress;
  /** Larger messages end their connection. */
  readonly maxMessageBytes: number;
  readonly subprotocols: readonly string[];
}

/** A client that answers no ping until the next is gone, whatever its network says. */
const pingEveryMs = 30_000;
/** How long a client may take to agree to the end. */
const closeMs = 3_000;
const goingAway = 1_001;
/** More waits for a client that does not read than is kept for it; others are none the worse for it. */
const maxWaitingBytes = 1_048_576;
/** Of one message. */
const maxFragments = 64;
/** Larger messages are sent in pieces that clients share, and not copied for each. */
const copiedBytes = 16_384;

/** The open WebSocket connections of both listeners. */
export class WebSockets {
  private readonly server: WebSocketServer;
  private readonly alive = new WeakSet<WebSocket>();
  private readonly pings: NodeJS.Timeout;

  constructor(private readonly options: WebSocketOptions) {
    this.server = new WebSocketServer({
      // Its types do not know this option yet.
      ...({ closeTimeout: closeMs } as object),
      noServer: true,
      // Compression lets a few bytes become many, and keeps memory for each connection.
      perMessageDeflate: false,
      maxPayload: options.maxMessageBytes,
      ...({ maxFragments } as object),
      // Whoever reads the messages does that, and can tell the client.
      skipUTF8Validation: true,
      handleProtocols: (offered) => options.subprotocols.find((one) => offered.has(one)) ?? false,
    });
    this.pings = setInterval(() => this.pingAll(), pingEveryMs).unref();
  }

  get count(): number {
    return this.server.clients.size;
  }

  /**
   * Takes the connection of the request; `onOpen` is called before anything is read from it.
   * @throws Fault invalid `live.websocket-required`; unavailable `live.too-many-clients`; busy
   * `live.too-many-from-address`
   */
  accept(request: FastifyRequest, reply: FastifyReply, onOpen: (connection: Connection) => void): void {
    const upgrade = findUpgrade(request.raw);
    if (!upgrade) {
      throw new Fault(
        'invalid',
        'live.websocket-required',
        'This address is for WebSocket connections: ws:// or wss://.',
      );
    }
    if (this.count >= this.options.maxConnections) {
      throw new Fault(
        'unavailable',
        'live.too-many-clients',
        'As many clients follow the logbook as may at once. Try again later; the administrator can allow more.',
      );
    }
    const leave = this.options.byAddress.add(request.ip);
    reply.hijack();
    upgrade.take();
    // Its client may have left while it was looked who that is.
    if (upgrade.socket.closed) leave();
    // Until its connection ends, whether it becomes a WebSocket or not.
    else upgrade.socket.once('close', leave);
    this.server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
      this.alive.add(socket);
      for (const sign of ['pong', 'ping', 'message'] as const) socket.on(sign, () => this.alive.add(socket));
      // What is wrong with a connection ends it; there is nobody to tell.
      socket.on('error', () => undefined);
      onOpen(new Connection(socket, upgrade.socket));
    });
  }

  /** Ends all connections; what does not agree to that in time is cut. */
  async close(): Promise<void> {
    clearInterval(this.pings);
    const deadline = new AbortController();
    const cut = sleep(closeMs, undefined, { signal: deadline.signal }).then(
      () => {
        for (const socket of this.server.clients) socket.terminate();
      },
      () => undefined,
    );
    for (const socket of this.server.clients) socket.close(goingAway, 'The service is stopping.');
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    deadline.abort();
    await cut;
  }

  private pingAll(): void {
    for (const socket of this.server.clients) {
      if (!this.alive.has(socket)) {
        socket.terminate();
        continue;
      }
      this.alive.delete(socket);
      if (socket.readyState === socket.OPEN) socket.ping();
    }
  }
}

/** One of them. */
export class Connection {
  constructor(
    private readonly socket: WebSocket,
    private readonly stream: { cork(): void; uncork(): void },
  ) {}

  on(listeners: {
    message(bytes: Uint8Array): void;
    /** A ping or a pong. */
    control(): void;
    closed(): void;
  }): void {
    this.socket.on('message', (data) => listeners.message(data as Buffer));
    this.socket.on('ping', listeners.control);
    this.socket.on('pong', listeners.control);
    this.socket.on('close', listeners.closed);
  }

  /** Text messages, each in pieces. When too much waits already, the connection is cut instead. */
  send(messages: readonly (readonly Uint8Array[])[]): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.stream.cork();
    for (const pieces of messages) {
      if (this.socket.bufferedAmount > maxWaitingBytes) {
        this.socket.terminate();
        return;
      }
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (length <= copiedBytes) this.socket.send(Buffer.concat(pieces, length), { binary: false });
      else {
        for (const [at, piece] of pieces.entries()) {
          this.socket.send(piece, { binary: false, fin: at === pieces.length - 1 });
        }
      }
    }
    this.stream.uncork();
  }

  close(reason: string): void {
    this.socket.close(reason === '' ? 1_000 : 1_008, reason.slice(0, 40));
  }
}
