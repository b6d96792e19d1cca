import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ProtocolOperation } from 'ldapts';
import { MalformedMessage } from './ber-reader.js';
import { type Request, readRequest, writeDisconnection } from './message.js';
import { MessageFrames } from './message-framing.js';
import { Session, type SessionDeps } from './session.js';

/** How long a client that is being disconnected has to read why. */
const farewellMs = 1_000;

/** One client's connection: takes its requests in and has them answered in order. Whatever it does, it ends alone. */
export class Connection {
  /** When its last request was answered; 0 before any was. */
  lastUsedMs = 0;
  private readonly frames: MessageFrames;
  private readonly session: Session;
  private readonly waiting: Request[] = [];
  private current: { readonly request: Request; readonly abort: AbortController } | undefined;
  private isWorking = false;
  private isEnding = false;
  private messageTimer: NodeJS.Timeout | undefined;
  private readonly closed = new AbortController();

  constructor(
    private readonly socket: Socket,
    private readonly deps: SessionDeps,
  ) {
    this.frames = new MessageFrames(deps.limits.maxMessageBytes);
    this.session = new Session(deps);
    socket.setTimeout(deps.limits.idleMs, () => this.close());
    // What went wrong with a connection is its client's affair.
    socket.on('error', () => this.end());
    socket.on('close', () => this.end());
    socket.on('data', (chunk) => {
      if (this.isEnding) return;
      this.frames.push(chunk);
      this.takeIn();
    });
  }

  /** True when nothing that it asked for is missing. */
  get isIdle(): boolean {
    return !this.isWorking;
  }

  close(): void {
    this.socket.destroy();
    this.end();
  }

  private end(): void {
    this.isEnding = true;
    clearTimeout(this.messageTimer);
    this.waiting.length = 0;
    this.current?.abort.abort();
    this.closed.abort();
  }

  private takeIn(): void {
    const { maxWaitingRequests } = this.deps.limits;
    try {
      while (!this.isEnding && this.waiting.length < maxWaitingRequests) {
        const frame = this.frames.next();
        if (!frame) break;
        clearTimeout(this.messageTimer);
        this.messageTimer = undefined;
        this.accept(readRequest(frame));
      }
    } catch (error) {
      this.disconnect((error as Error).message);
    }
    if (this.isEnding) return;
    const isFull = this.waiting.length >= maxWaitingRequests;
    if (isFull) this.socket.pause();
    else this.socket.resume();
    if (!isFull && this.frames.isPartial)
      this.messageTimer ??= setTimeout(() => this.close(), this.deps.limits.messageMs);
    if (!this.isWorking) void this.work();
  }

  private accept(request: Request): void {
    switch (request.operation) {
      case ProtocolOperation.LDAP_REQ_UNBIND:
        this.socket.end();
        this.end();
        return;
      case ProtocolOperation.LDAP_REQ_ABANDON:
        this.abandon(messageIdOf(request));
        return;
      default:
        this.waiting.push(request);
    }
  }

  /** Without effect when there is no such request, it is answered already, or it is a sign-in. */
  private abandon(messageId: number): void {
    const isMeant = (request: Request) =>
      request.messageId === messageId && request.operation !== ProtocolOperation.LDAP_REQ_BIND;
    const at = this.waiting.findIndex(isMeant);
    if (at >= 0) this.waiting.splice(at, 1);
    if (this.current && isMeant(this.current.request)) this.current.abort.abort();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    try {
      for (let request = this.waiting.shift(); request; request = this.waiting.shift()) {
        await this.deps.turns.next();
        if (this.isEnding) return;
        const abort = new AbortController();
        this.current = { request, abort };
        await this.session.answer({ request, send: (message) => this.send(message), signal: abort.signal });
        this.current = undefined;
        this.lastUsedMs = Date.now();
        this.takeIn();
      }
    } catch (error) {
      if (error instanceof MalformedMessage) this.disconnect(error.message);
      else this.fail(error);
    } finally {
      this.current = undefined;
      this.isWorking = false;
    }
  }

  private fail(error: unknown): void {
    if (!this.isEnding) this.deps.log('a connection of the embedded directory failed', error);
    this.close();
  }

  /** Resolves when the client took enough in; a client that takes nothing in is cut off. */
  private async send(message: Buffer): Promise<void> {
    if (this.isEnding) return;
    this.gatherWrites();
    if (this.socket.write(message)) return;
    const tooSlow = setTimeout(() => this.close(), this.deps.limits.messageMs);
    try {
      await once(this.socket, 'drain', { signal: this.closed.signal });
    } finally {
      clearTimeout(tooSlow);
    }
    await this.deps.turns.next();
  }

  /** What is sent in one turn goes out at once: a call of the system for each entry would take most of the time. */
  private gatherWrites(): void {
    if (this.socket.writableCorked > 0) return;
    this.socket.cork();
    setImmediate(() => this.socket.uncork());
  }

  private disconnect(reason: string): void {
    if (this.isEnding) return;
    this.socket.end(writeDisconnection(`The connection ends: ${reason}.`));
    this.end();
    // What is still on its way is read and dropped: closing before would drop the reason too.
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), farewellMs).unref();
  }
}

function messageIdOf({ content }: Request): number {
  if (content.length < 1 || content.length > 4) throw new MalformedMessage('there is no such message id');
  return content.readIntBE(0, content.length);
}
