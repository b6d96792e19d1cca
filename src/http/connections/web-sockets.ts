import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { Fault } from '../../kernel/fault.js';
import { limitFault } from '../../kernel/limit.js';
import type { ConnectionsPerAddress } from './connections-per-address.js';
import { findUpgrade } from './upgrades.js';

export interface WebSocketOptions {
  readonly maxConnections: number;
  readonly byAddress: ConnectionsPerAddress;
  /** Size above which a message closes its connection. */
  readonly maxMessageBytes: number;
  readonly subprotocols: readonly string[];
}

/** Interval between pings. A client that has sent nothing since the previous ping is disconnected. */
const pingIntervalMs = 30_000;
/** Time that a client may take to complete the closing handshake. */
const closeTimeoutMs = 3_000;
const goingAway = 1_001;
/** Number of unsent bytes above which a client that does not read is disconnected. */
const maxBufferedBytes = 1_048_576;
/** Maximum number of fragments of one incoming message. */
const maxFragments = 64;
/** Size above which a message is sent as fragments shared by all clients, instead of being copied for each client. */
const maxCopiedBytes = 16_384;

/** The open WebSocket connections of both listeners. */
export class WebSockets {
  private readonly server: WebSocketServer;
  private readonly alive = new WeakSet<WebSocket>();
  private readonly pings: NodeJS.Timeout;

  constructor(private readonly options: WebSocketOptions) {
    this.server = new WebSocketServer({
      // The types of ws lack this option.
      ...({ closeTimeout: closeTimeoutMs } as object),
      noServer: true,
      // Compression would let a small message expand to a large one, and hold memory for each connection.
      perMessageDeflate: false,
      maxPayload: options.maxMessageBytes,
      ...({ maxFragments } as object),
      // The reader of the messages checks UTF-8 itself and can report an error to the client.
      skipUTF8Validation: true,
      handleProtocols: (offered) => options.subprotocols.find((one) => offered.has(one)) ?? false,
    });
    this.pings = setInterval(() => this.pingAll(), pingIntervalMs).unref();
  }

  get count(): number {
    return this.server.clients.size;
  }

  /**
   * Turns the connection of the request into a WebSocket; calls `onOpen` before anything is read from it.
   * @throws Fault invalid `live.websocket-required`; unavailable `live.too-many-clients`; busy
   * `live.too-many-from-address`
   */
  accept(request: FastifyRequest, reply: FastifyReply, onOpen: (connection: Connection) => void): void {
    const upgrade = findUpgrade(request.raw);
    if (!upgrade) {
      throw new Fault(
        'invalid',
        'live.websocket-required',
        'This URL accepts only WebSocket connections. Use a ws:// or wss:// URL.',
      );
    }
    if (this.count >= this.options.maxConnections) {
      throw limitFault('unavailable', 'live.too-many-clients', {
        refused: 'There are too many WebSocket connections.',
        limit: {
          amount: `${this.options.maxConnections} WebSocket connections`,
          setting: 'maxWebSocketConnections',
          countedFor: 'all clients together',
        },
        advice: 'Try again later.',
      });
    }
    const release = this.options.byAddress.add(request.ip);
    reply.hijack();
    upgrade.take();
    // The client may have disconnected while it was being authenticated.
    if (upgrade.socket.closed) release();
    // The connection counts until it closes, whether it becomes a WebSocket or not.
    else upgrade.socket.once('close', release);
    this.server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
      this.alive.add(socket);
      for (const event of ['pong', 'ping', 'message'] as const) socket.on(event, () => this.alive.add(socket));
      // An error closes the connection; without a listener it would end the process.
      socket.on('error', () => undefined);
      onOpen(new Connection(socket, upgrade.socket));
    });
  }

  /** Closes all connections; terminates those whose client does not complete the closing handshake in time. */
  async close(): Promise<void> {
    clearInterval(this.pings);
    const deadline = new AbortController();
    const terminated = sleep(closeTimeoutMs, undefined, { signal: deadline.signal }).then(
      () => {
        for (const socket of this.server.clients) socket.terminate();
      },
      () => undefined,
    );
    for (const socket of this.server.clients) socket.close(goingAway, 'The service is stopping.');
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    deadline.abort();
    await terminated;
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

/** An open WebSocket connection. */
export class Connection {
  constructor(
    private readonly socket: WebSocket,
    private readonly stream: { cork(): void; uncork(): void },
  ) {}

  on(listeners: {
    message(bytes: Uint8Array): void;
    /** Called for a ping or a pong. */
    control(): void;
    closed(): void;
  }): void {
    this.socket.on('message', (data) => listeners.message(data as Buffer));
    this.socket.on('ping', listeners.control);
    this.socket.on('pong', listeners.control);
    this.socket.on('close', listeners.closed);
  }

  /** Sends text messages, each given as chunks. Terminates the connection when too much is buffered already. */
  send(messages: readonly (readonly Uint8Array[])[]): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.stream.cork();
    for (const chunks of messages) {
      if (this.socket.bufferedAmount > maxBufferedBytes) {
        this.socket.terminate();
        return;
      }
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      if (length <= maxCopiedBytes) this.socket.send(Buffer.concat(chunks, length), { binary: false });
      else {
        for (const [at, chunk] of chunks.entries()) {
          this.socket.send(chunk, { binary: false, fin: at === chunks.length - 1 });
        }
      }
    }
    this.stream.uncork();
  }

  /**
   * Closes normally when the reason is empty; otherwise as a policy violation with the first 40 characters of the
   * reason.
   */
  close(reason: string): void {
    this.socket.close(reason === '' ? 1_000 : 1_008, reason.slice(0, 40));
  }
}
