import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { productVersion } from '../../kernel/product.js';
import type { LiveNotification } from '../live/entry-notification.js';
import {
  decodeUtf8,
  encodeFrame,
  type Frame,
  FrameReader,
  StompError,
  type StompFragments,
  type StompVersion,
} from './frame.js';
import { type HeartBeat, negotiateHeartBeat, negotiateVersion, sessionLimits, TokenBucket } from './negotiation.js';
import { sessionFaults } from './session-faults.js';
import { Subscriptions } from './subscriptions.js';
import { Transactions } from './transactions.js';

/** The connection of a session. */
export interface Wire {
  /** Sends whole frames. Drops them and the connection when too much is already waiting to be sent. */
  send(frames: readonly StompFragments[]): void;
  /** Sends the waiting frames, then closes the connection. */
  close(reason: string): void;
}

export interface StompSessionDeps {
  readonly wire: Wire;
  readonly permissions: Permissions;
  /** The user that the opening request authenticated. */
  readonly principal: Principal | undefined;
  /** Whether clients must sign in. */
  readonly signInRequired: boolean;
  /** Whether the entries that a client may see depend on its user. If not, credentials are not checked. */
  readonly principalMatters: boolean;
  /** Whether the connection may carry a password: false when it is not encrypted and must be. */
  readonly mayTakePassword: boolean;
  /** @throws Fault */
  readonly signIn: (credentials: { userName: string; password: string }) => Promise<Principal>;
  /** Starts notifications of changes; returns a function that ends them. */
  readonly subscribe: (listener: (batch: readonly LiveNotification[]) => void) => () => void;
  readonly nowMs: () => number;
}

type State = 'new' | 'connecting' | 'connected' | 'closed';
const emptyBody = new Uint8Array();

/** The STOMP session of one client: handles its frames and sends it the messages of its subscriptions. */
export class StompSession {
  private readonly reader = new FrameReader();
  private readonly rateLimit: TokenBucket;
  private readonly subscriptions = new Subscriptions();
  private readonly transactions = new Transactions();
  private readonly startedMs: number;
  private state: State = 'new';
  private principal: Principal | undefined;
  private heartBeat: HeartBeat = { sendMs: 0, expectMs: 0 };
  private lastSentMs: number;
  private lastReceivedMs: number;
  /** When the first part of an incomplete frame arrived. */
  private incompleteSinceMs: number | undefined;
  private unsubscribe: () => void = () => undefined;

  constructor(private readonly deps: StompSessionDeps) {
    this.principal = deps.principal;
    this.startedMs = this.lastSentMs = this.lastReceivedMs = deps.nowMs();
    this.rateLimit = new TokenBucket(this.startedMs);
  }

  /** To be called with the bytes of each message of the client. */
  async receive(bytes: Uint8Array): Promise<void> {
    if (this.state === 'closed') return;
    this.lastReceivedMs = this.deps.nowMs();
    try {
      this.reader.push(bytes);
      this.checkRate();
      // Frames that arrive during a sign-in wait for its end.
      if (this.state !== 'connecting') await this.handleFrames();
      else if (this.reader.pendingBytes > sessionLimits.waitingBytes) {
        throw sessionFaults.tooMuchBeforeSignIn();
      }
    } catch (error) {
      this.fail(error, undefined);
    }
  }

  /** To be called for each ping or pong of the client. */
  onControlFrame(): void {
    try {
      this.checkRate();
    } catch (error) {
      this.fail(error, undefined);
    }
  }

  /** Checks the time limits and sends heart-beats. To be called every `intervalMs`, a few seconds. */
  tick(intervalMs: number): void {
    const nowMs = this.deps.nowMs();
    if (this.state === 'closed') return;
    if (this.state === 'new' && nowMs - this.startedMs > sessionLimits.connectMs) {
      this.fail(sessionFaults.lateConnect(), undefined);
    } else if (this.heartBeat.expectMs > 0 && nowMs - this.lastReceivedMs > 2 * this.heartBeat.expectMs) {
      this.fail(sessionFaults.lateHeartBeat(2 * this.heartBeat.expectMs), undefined);
    } else if (this.incompleteSinceMs !== undefined && nowMs - this.incompleteSinceMs > sessionLimits.frameMs) {
      this.fail(sessionFaults.lateFrame(), undefined);
    } else if (this.heartBeat.sendMs > 0 && nowMs - this.lastSentMs >= this.heartBeat.sendMs - intervalMs) {
      this.send([[Buffer.from('\n')]]);
    }
  }

  /** To be called when the session or token of the user has expired. */
  onExpired(): void {
    this.fail(new StompError('The session or token has expired. Sign in again.'), undefined);
  }

  /** To be called when the connection has closed. */
  onClosed(): void {
    this.state = 'closed';
    this.unsubscribe();
  }

  private async handleFrames(): Promise<void> {
    for (let frame = this.reader.next(); frame; frame = this.reader.next()) {
      this.checkRate();
      try {
        await this.handle(frame);
      } catch (error) {
        this.fail(error, frame.headers.get('receipt'));
      }
      if (this.isClosed) return;
    }
    this.incompleteSinceMs = this.reader.isInside ? (this.incompleteSinceMs ?? this.deps.nowMs()) : undefined;
  }

  private async handle(frame: Frame): Promise<void> {
    const { command, headers } = frame;
    if (command === 'CONNECT' || command === 'STOMP') {
      if (this.state !== 'new') throw new StompError('The session is already connected.');
      await this.connect(headers);
      return;
    }
    if (this.state !== 'connected') throw new StompError('The first frame must be CONNECT.');
    this.handleConnected(frame);
    const receipt = headers.get('receipt');
    if (receipt !== undefined) this.send([this.encode('RECEIPT', [['receipt-id', receipt]])]);
    if (command === 'DISCONNECT') this.end('');
  }

  private handleConnected(frame: Frame): void {
    const { command, headers } = frame;
    switch (command) {
      case 'SUBSCRIBE':
        this.subscriptions.add(headers, this.version);
        return;
      case 'UNSUBSCRIBE':
        this.subscriptions.remove(headers);
        return;
      case 'SEND':
        this.receiveSend(frame);
        return;
      case 'BEGIN':
        this.transactions.begin(requireHeader(headers, 'transaction'));
        return;
      case 'COMMIT':
        for (const sent of this.transactions.end(requireHeader(headers, 'transaction'))) this.echo(sent);
        return;
      case 'ABORT':
        this.transactions.end(requireHeader(headers, 'transaction'));
        return;
      case 'ACK':
      case 'NACK':
      case 'DISCONNECT':
        // Messages are never sent again, acknowledged or not.
        return;
      default:
        throw new StompError(`Unknown command ${quoted(command)}.`);
    }
  }

  private async connect(headers: ReadonlyMap<string, string>): Promise<void> {
    const version = negotiateVersion(headers.get('accept-version'));
    this.reader.version = version;
    this.state = 'connecting';
    const userName = headers.get('login') ?? '';
    if (userName !== '' && !this.deps.mayTakePassword) {
      throw new StompError('A password requires TLS. Use wss:// and the https address of the service.');
    }
    // As for requests: where all users may read the same, credentials are not checked.
    if (!this.principal && userName !== '' && this.deps.principalMatters) {
      this.principal = await this.deps.signIn({ userName, password: headers.get('passcode') ?? '' });
    }
    if (this.isClosed) return;
    if (this.deps.signInRequired && !this.principal) {
      throw new StompError('A sign-in is required: send login and passcode with CONNECT, or sign in first.');
    }
    this.state = 'connected';
    if (version !== '1.0') this.heartBeat = negotiateHeartBeat(headers.get('heart-beat'));
    this.unsubscribe = this.deps.subscribe((batch) => this.notify(batch));
    const { heartBeatMs } = sessionLimits;
    this.send([
      this.encode('CONNECTED', [
        ['version', version],
        ...(version === '1.0' ? [] : [['heart-beat', `${heartBeatMs},${heartBeatMs}`] as const]),
        ['server', `logbook/${productVersion}`],
        ...(this.principal ? [['user-name', this.principal.userName] as const] : []),
      ]),
    ]);
  }

  private notify(batch: readonly LiveNotification[]): void {
    const { permissions } = this.deps;
    const readable = permissions.hasReadRestrictions
      ? batch.filter(({ current }) => !current || permissions.mayRead(this.principal, current.entry))
      : batch;
    // One by one: a client that does not read is disconnected before much is encoded for it.
    for (const notification of readable) {
      const frames = this.subscriptions.encodeMessages(notification);
      if (this.isClosed) return;
      if (frames.length > 0) this.send(frames);
    }
  }

  /** Handles a SEND frame. Nothing that a client sends reaches another client. */
  private receiveSend(frame: Frame): void {
    const destination = requireHeader(frame.headers, 'destination');
    if (!destination.endsWith('/web-socket/echo')) {
      throw new StompError(`Clients cannot publish to ${quoted(destination)}. Create entries with PUT /logs.`);
    }
    decodeUtf8(frame.body);
    const transaction = frame.headers.get('transaction');
    if (transaction === undefined) this.echo(frame);
    else this.transactions.add(transaction, frame);
  }

  private echo(frame: Frame): void {
    this.send(this.subscriptions.encodeEcho(frame, requireHeader(frame.headers, 'destination'), this.version));
  }

  private fail(error: unknown, receipt: string | undefined): void {
    if (this.isClosed) return;
    const isKnown = error instanceof StompError || error instanceof Fault;
    const message = isKnown ? error.message : 'Internal error.';
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
    this.onClosed();
    this.deps.wire.close(reason);
  }

  /** @throws StompError */
  private checkRate(): void {
    if (!this.rateLimit.consume(1, this.deps.nowMs())) throw sessionFaults.tooFast();
  }

  private send(frames: readonly StompFragments[]): void {
    this.lastSentMs = this.deps.nowMs();
    this.deps.wire.send(frames);
  }

  private encode(
    command: string,
    headers: (readonly [string, string])[],
    body: Uint8Array = emptyBody,
  ): StompFragments {
    return encodeFrame(command, headers, body, this.version);
  }

  private get version(): StompVersion {
    return this.reader.version;
  }

  /** Read through a getter, because `state` may have changed during an `await`. */
  private get isClosed(): boolean {
    return this.state === 'closed';
  }
}

function requireHeader(headers: ReadonlyMap<string, string>, name: string): string {
  const value = headers.get(name);
  if (value === undefined || value === '') throw new StompError(`The header ${quoted(name)} is missing.`);
  return value;
}
