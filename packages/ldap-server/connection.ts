import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ProtocolOperation } from 'ldapts';
import { MalformedMessage, toInteger } from './ber-reader.js';
import { type Request, readRequest, writeDisconnection } from './message.js';
import { MessageFramer } from './message-framing.js';
import { Session, type SessionDeps } from './session.js';

/** Time in which a client can read the notice of disconnection. */
const disconnectGraceMs = 1_000;

/**
 * The connection of one client. Receives its requests and handles them in order. Its failures do not affect other
 * clients.
 */
export class Connection {
  /** `Date.now()` of the last response; 0 before the first. */
  lastUsedMs = 0;
  private readonly framer: MessageFramer;
  private readonly session: Session;
  private readonly queue: Request[] = [];
  private current: { readonly request: Request; readonly abort: AbortController } | undefined;
  private isProcessing = false;
  private isEnding = false;
  private messageTimer: NodeJS.Timeout | undefined;
  private readonly closed = new AbortController();

  constructor(
    private readonly socket: Socket,
    private readonly deps: SessionDeps,
  ) {
    this.framer = new MessageFramer(deps.limits.maxMessageBytes);
    this.session = new Session(deps);
    socket.setTimeout(deps.limits.idleTimeoutMs, () => this.close());
    // Errors are not logged, because clients cause them.
    socket.on('error', () => this.end());
    socket.on('close', () => this.end());
    socket.on('data', (chunk) => {
      if (this.isEnding) return;
      this.framer.push(chunk);
      this.receiveRequests();
    });
  }

  /** Whether all requests have been answered. */
  get isIdle(): boolean {
    return !this.isProcessing;
  }

  close(): void {
    this.socket.destroy();
    this.end();
  }

  private end(): void {
    this.isEnding = true;
    clearTimeout(this.messageTimer);
    this.queue.length = 0;
    this.current?.abort.abort();
    this.closed.abort();
  }

  private receiveRequests(): void {
    const { maxQueuedRequests, messageTimeoutMs } = this.deps.limits;
    try {
      while (!this.isEnding && this.queue.length < maxQueuedRequests) {
        const message = this.framer.next();
        if (!message) break;
        clearTimeout(this.messageTimer);
        this.messageTimer = undefined;
        this.accept(readRequest(message));
      }
    } catch (error) {
      this.disconnect((error as Error).message);
    }
    if (this.isEnding) return;
    if (this.queue.length >= maxQueuedRequests) this.socket.pause();
    else {
      this.socket.resume();
      if (this.framer.isPartial) this.messageTimer ??= setTimeout(() => this.close(), messageTimeoutMs);
    }
    if (!this.isProcessing) void this.processQueue();
  }

  private accept(request: Request): void {
    switch (request.operation) {
      case ProtocolOperation.LDAP_REQ_UNBIND:
        this.socket.end();
        this.end();
        return;
      case ProtocolOperation.LDAP_REQ_ABANDON:
        this.abandon(toInteger(request.content));
        return;
      default:
        this.queue.push(request);
    }
  }

  /** Abandons a request. Has no effect on a bind (RFC 4511, section 4.11), or when there is no such request. */
  private abandon(messageId: number): void {
    const isMatch = (request: Request) =>
      request.messageId === messageId && request.operation !== ProtocolOperation.LDAP_REQ_BIND;
    const index = this.queue.findIndex(isMatch);
    if (index >= 0) this.queue.splice(index, 1);
    if (this.current && isMatch(this.current.request)) this.current.abort.abort();
  }

  private async processQueue(): Promise<void> {
    this.isProcessing = true;
    try {
      for (let request = this.queue.shift(); request; request = this.queue.shift()) {
        await this.deps.scheduler.nextSlice();
        if (this.isEnding) return;
        const abort = new AbortController();
        this.current = { request, abort };
        await this.session.handle({ request, send: (message) => this.send(message), signal: abort.signal });
        this.current = undefined;
        this.lastUsedMs = Date.now();
        this.receiveRequests();
      }
    } catch (error) {
      if (error instanceof MalformedMessage) this.disconnect(error.message);
      else this.fail(error);
    } finally {
      this.current = undefined;
      this.isProcessing = false;
    }
  }

  private fail(error: unknown): void {
    if (!this.isEnding) this.deps.log('LDAP connection failed', error);
    this.close();
  }

  /**
   * Resolves when the client has accepted the data. Closes the connection of a client that does not accept it in time.
   */
  private async send(message: Buffer): Promise<void> {
    if (this.isEnding) return;
    this.corkUntilNextIteration();
    if (this.socket.write(message)) return;
    const timer = setTimeout(() => this.close(), this.deps.limits.messageTimeoutMs);
    try {
      await once(this.socket, 'drain', { signal: this.closed.signal });
    } finally {
      clearTimeout(timer);
    }
    await this.deps.scheduler.nextSlice();
  }

  /**
   * Combines the messages of one event loop iteration, because a system call per entry would dominate the cost of a
   * search.
   */
  private corkUntilNextIteration(): void {
    if (this.socket.writableCorked > 0) return;
    this.socket.cork();
    setImmediate(() => this.socket.uncork());
  }

  private disconnect(reason: string): void {
    if (this.isEnding) return;
    this.socket.end(writeDisconnection(`Disconnected: ${reason}.`));
    this.end();
    // Unread data must be drained, because closing a socket with unread data resets it, and the client would lose the
    // notice.
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), disconnectGraceMs).unref();
  }
}
