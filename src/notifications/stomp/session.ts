import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { productVersion } from '../../kernel/product.js';
import type { EntryNotification } from '../live/announcement.js';
import {
  decodeUtf8,
  encodeFrame,
  type Frame,
  type FramePieces,
  FrameReader,
  StompError,
  type StompVersion,
} from './frame.js';
import { type HeartBeat, negotiateHeartBeat, negotiateVersion, sessionLimits, TokenBucket } from './negotiation.js';
import { Subscriptions } from './subscriptions.js';

/** The connection that a session talks over. */
export interface Wire {
  /** Each a whole frame; dropped, with the connection, when too much waits to be sent. */
  send(frames: readonly FramePieces[]): void;
  /** Sends what waits, then closes. */
  close(reason: string): void;
}

export interface StompSessionDeps {
  readonly wire: Wire;
  readonly permissions: Permissions;
  /** Whoever the connection itself tells of. */
  readonly principal: Principal | undefined;
  /** Whether nobody follows without being signed in. */
  readonly signInNeeded: boolean;
  /** Whether it matters who follows. */
  /** Whether what a client sends of a password can be read by nobody on the way. */
  readonly mayTakePassword: boolean;
  readonly principalMatters: boolean;
  /** @throws Fault */
  readonly signIn: (credentials: { userName: string; password: string }) => Promise<Principal>;
  /** Starts to hand changes to `announce`; returns the way to stop that. */
  readonly follow: (announce: (batch: readonly EntryNotification[]) => void) => () => void;
  readonly nowMs: () => number;
}

type State = 'new' | 'connecting' | 'connected' | 'closed';
const noBody = new Uint8Array();

/** One client that speaks STOMP: what it sends, what it follows, and what it is told. */
export class StompSession {
  private readonly reader = new FrameReader();
  private readonly allowance: TokenBucket;
  private readonly subscriptions = new Subscriptions();
  private readonly transactions = new Map<string, Frame[]>();
  private readonly startedMs: number;
  private state: State = 'new';
  private principal: Principal | undefined;
  private beats: HeartBeat = { sendMs: 0, expectMs: 0 };
  private sentMs: number;
  private heardMs: number;
  /** Since when a frame has begun and not ended. */
  private insideSinceMs: number | undefined;
  private unfollow: () => void = () => undefined;

  constructor(private readonly deps: StompSessionDeps) {
    this.principal = deps.principal;
    this.startedMs = this.sentMs = this.heardMs = deps.nowMs();
    this.allowance = new TokenBucket(this.startedMs);
  }

  /** Bytes of one message of the client. */
  async receive(bytes: Uint8Array): Promise<void> {
    if (this.state === 'closed') return;
    this.heardMs = this.deps.nowMs();
    try {
      this.reader.push(bytes);
      this.spend(1);
      // While a sign-in is looked at, what comes behind it waits.
      if (this.state !== 'connecting') await this.takeFrames();
      else if (this.reader.pendingBytes > sessionLimits.waitingBytes) throw new StompError('Too much was sent.');
    } catch (error) {
      this.fail(error, undefined);
    }
  }

  /** To be called for whatever else the client sends. */
  noteControl(): void {
    try {
      this.spend(1);
    } catch (error) {
      this.fail(error, undefined);
    }
  }

  /** To be called every few seconds; such a time passes at most before something is noticed. */
  tick(everyMs: number): void {
    const nowMs = this.deps.nowMs();
    if (this.state === 'closed') return;
    if (this.state === 'new' && nowMs - this.startedMs > sessionLimits.connectMs) {
      this.fail(new StompError('CONNECT did not arrive in time.'), undefined);
    } else if (this.beats.expectMs > 0 && nowMs - this.heardMs > 2 * this.beats.expectMs) {
      this.fail(new StompError('Neither a frame nor a heart-beat arrived for too long.'), undefined);
    } else if (this.insideSinceMs !== undefined && nowMs - this.insideSinceMs > sessionLimits.frameMs) {
      this.fail(new StompError('A frame has not ended for too long.'), undefined);
    } else if (this.beats.sendMs > 0 && nowMs - this.sentMs >= this.beats.sendMs - everyMs) {
      this.send([[Buffer.from('\n')]]);
    }
  }

  /** Whoever was signed in is not any more. */
  signedOut(): void {
    this.fail(new StompError('The session or the token has ended. Sign in again.'), undefined);
  }

  /** The connection has gone. */
  closed(): void {
    this.state = 'closed';
    this.unfollow();
  }

  private async takeFrames(): Promise<void> {
    for (let frame = this.reader.next(); frame; frame = this.reader.next()) {
      this.spend(1);
      try {
        await this.take(frame);
      } catch (error) {
        this.fail(error, frame.headers.get('receipt'));
      }
      if (this.isClosed) return;
    }
    this.insideSinceMs = this.reader.isInside ? (this.insideSinceMs ?? this.deps.nowMs()) : undefined;
  }

  private async take(frame: Frame): Promise<void> {
    const { command, headers } = frame;
    if (command === 'CONNECT' || command === 'STOMP') {
      if (this.state !== 'new') throw new StompError('The session is connected already.');
      await this.connect(headers);
      return;
    }
    if (this.state !== 'connected') throw new StompError('The first frame must be CONNECT.');
    this.handle(frame);
    const receipt = headers.get('receipt');
    if (receipt !== undefined) this.send([this.encode('RECEIPT', [['receipt-id', receipt]])]);
    if (command === 'DISCONNECT') this.end('');
  }

  private handle(frame: Frame): void {
    const { command, headers } = frame;
    switch (command) {
      case 'SUBSCRIBE':
        this.subscriptions.add(headers, this.version);
        return;
      case 'UNSUBSCRIBE':
        this.subscriptions.remove(headers);
        return;
      case 'SEND':
        this.publish(frame);
        return;
      case 'BEGIN':
      case 'COMMIT':
      case 'ABORT':
        this.transact(command, needed(headers, 'transaction'));
        return;
      case 'ACK':
      case 'NACK':
      case 'DISCONNECT':
        // What was sent is not sent again, whatever is said of it.
        return;
      default:
        throw new StompError(`There is no command ${quoted(command)}.`);
    }
  }

  private async connect(headers: ReadonlyMap<string, string>): Promise<void> {
    const version = negotiateVersion(headers.get('accept-version'));
    this.reader.version = version;
    this.state = 'connecting';
    const userName = headers.get('login') ?? '';
    // As with requests: where everybody reads the same, credentials are not looked at.
    if (userName !== '' && !this.deps.mayTakePassword) {
      throw new StompError('A password needs TLS here. Use wss:// and the https address of the service.');
    }
    if (!this.principal && userName !== '' && this.deps.principalMatters) {
      this.principal = await this.deps.signIn({ userName, password: headers.get('passcode') ?? '' });
    }
    if (this.isClosed) return;
    if (this.deps.signInNeeded && !this.principal) {
      throw new StompError('This needs sign-in: send login and passcode with CONNECT, or sign in before.');
    }
    this.state = 'connected';
    if (version !== '1.0') this.beats = negotiateHeartBeat(headers.get('heart-beat'));
    this.unfollow = this.deps.follow((batch) => this.announce(batch));
    this.send([
      this.encode('CONNECTED', [
        ['version', version],
        ...(version === '1.0' ? [] : [['heart-beat', `${sessionLimits.beatMs},${sessionLimits.beatMs}`] as const]),
        ['server', `logbook/${productVersion}`],
        ...(this.principal ? [['user-name', this.principal.userName] as const] : []),
      ]),
    ]);
  }

  private announce(batch: readonly EntryNotification[]): void {
    const { permissions } = this.deps;
    const readable = permissions.hasReadRestrictions
      ? batch.filter(({ current }) => permissions.mayRead(this.principal, current.entry))
      : batch;
    // One after the other: a client that does not read is cut before there is much for it.
    for (const announcement of readable) {
      const frames = this.subscriptions.framesFor(announcement);
      if (this.isClosed) return;
      if (frames.length > 0) this.send(frames);
    }
  }

  /** Nothing that a client sends reaches another one. */
  private publish(frame: Frame): void {
    const destination = needed(frame.headers, 'destination');
    if (!destination.endsWith('/web-socket/echo')) {
      throw new StompError(`Nothing is published at ${quoted(destination)}. Entries are created with PUT /logs.`);
    }
    decodeUtf8(frame.body);
    const transaction = frame.headers.get('transaction');
    if (transaction === undefined) {
      this.send(this.subscriptions.echo(frame, destination, this.version));
      return;
    }
    const held = this.transactions.get(transaction);
    if (!held) throw new StompError(`There is no transaction ${quoted(transaction)}.`);
    held.push(frame);
    const frames = [...this.transactions.values()].flat();
    if (frames.reduce((sum, { body }) => sum + body.length, 0) > sessionLimits.waitingBytes || frames.length > 100) {
      throw new StompError('The open transactions hold too much.');
    }
  }

  private transact(command: 'BEGIN' | 'COMMIT' | 'ABORT', name: string): void {
    const held = this.transactions.get(name);
    if (command === 'BEGIN') {
      if (held) throw new StompError(`There is a transaction ${quoted(name)} already.`);
      if (this.transactions.size >= sessionLimits.transactions) throw new StompError('Too many transactions are open.');
      this.transactions.set(name, []);
      return;
    }
    if (!held) throw new StompError(`There is no transaction ${quoted(name)}.`);
    this.transactions.delete(name);
    if (command === 'ABORT') return;
    for (const frame of held) {
      this.send(this.subscriptions.echo(frame, needed(frame.headers, 'destination'), this.version));
    }
  }

  private fail(error: unknown, receipt: string | undefined): void {
    if (this.isClosed) return;
    const isKnown = error instanceof StompError || error instanceof Fault;
    const message = isKnown ? error.message : 'The service failed.';
    this.send([
      this.encode(
        'ERROR',
        [
          ['message', message.slice(0, 200)],
          ['version', '1.0,1.1,1.2'],
          ['content-type', 'text/plain'],
          ...(receipt === undefined ? [] : [['receipt-id', receipt] as const]),
        ],
        Buffer.from(message),
      ),
    ]);
    this.end(message);
    if (!isKnown) throw error;
  }

  private end(reason: string): void {
    this.closed();
    this.deps.wire.close(reason);
  }

  /** @throws StompError */
  private spend(messages: number): void {
    if (!this.allowance.spend(messages, this.deps.nowMs())) {
      throw new StompError('Too many frames arrive in a short time.');
    }
  }

  private send(frames: readonly FramePieces[]): void {
    this.sentMs = this.deps.nowMs();
    this.deps.wire.send(frames);
  }

  private encode(command: string, headers: (readonly [string, string])[], body: Uint8Array = noBody): FramePieces {
    return encodeFrame(command, headers, body, this.version);
  }

  private get version(): StompVersion {
    return this.reader.version;
  }

  /** Asked for after something was awaited. */
  private get isClosed(): boolean {
    return this.state === 'closed';
  }
}

function needed(headers: ReadonlyMap<string, string>, name: string): string {
  const value = headers.get(name);
  if (value === undefined || value === '') throw new StompError(`The header ${quoted(name)} is missing.`);
  return value;
}
