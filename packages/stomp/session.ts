import { decodeUtf8, encodeFrame, type Frame, FrameReader, type StompFragments, type StompVersion } from './frame.js';
import { type HeartBeat, negotiateHeartBeat, negotiateVersion, sessionLimits, TokenBucket } from './negotiation.js';
import { sessionFaults } from './session-faults.js';
import { quoted, StompError } from './stomp-error.js';
import { type StompMessage, Subscriptions } from './subscriptions.js';
import { Transactions } from './transactions.js';

/** The connection of a session. */
export interface Wire {
  /** Sends complete frames. Drops them and the connection when too much is already waiting to be sent. */
  send(frames: readonly StompFragments[]): void;
  /** Sends the waiting frames, then closes the connection. */
  close(reason: string): void;
}

/**
 * Sends a message to the subscribers of each topic for which the function returns one. Returns false when the session
 * has ended.
 */
export type Publish<Topic> = (messageOn: (topic: Topic) => StompMessage | undefined) => boolean;

/** The service to which a session connects a client. The client receives the message of a StompError of the service. */
export interface StompService<Topic> {
  /** Name and version for the client, such as `example/1.0`. */
  readonly server: string;
  /**
   * Signs the client in. Both credentials are empty when the client sent none.
   * @returns name of the user; undefined when the client remains anonymous
   * @throws StompError when the client is refused
   */
  signIn(credentials: { readonly userName: string; readonly password: string }): Promise<string | undefined>;
  /** Starts sending messages. Returns a function that stops it. */
  start(publish: Publish<Topic>): () => void;
  /** @throws StompError when there is no such topic */
  findTopic(destination: string): Topic;
  /**
   * Returns whether frames that the client sends to the destination are echoed to its own subscribers of a topic.
   * @throws StompError when clients cannot send to the destination
   */
  echoesOn(destination: string): (topic: Topic) => boolean;
}

export interface StompSessionDeps<Topic> {
  readonly wire: Wire;
  readonly service: StompService<Topic>;
  readonly nowMs: () => number;
}

type State = 'new' | 'connecting' | 'connected' | 'closed';
const emptyBody = new Uint8Array();

/** The STOMP session of one client: handles its frames and sends it the messages of its subscriptions. */
export class StompSession<Topic> {
  private readonly reader = new FrameReader();
  private readonly rateLimit: TokenBucket;
  private readonly subscriptions: Subscriptions<Topic>;
  private readonly transactions = new Transactions();
  private readonly startedMs: number;
  private state: State = 'new';
  private heartBeat: HeartBeat = { sendMs: 0, expectMs: 0 };
  private lastSentMs: number;
  private lastReceivedMs: number;
  /** Time at which the first part of an incomplete frame arrived. */
  private incompleteSinceMs: number | undefined;
  private unsubscribe: () => void = () => undefined;

  constructor(private readonly deps: StompSessionDeps<Topic>) {
    this.subscriptions = new Subscriptions((destination) => deps.service.findTopic(destination));
    this.startedMs = this.lastSentMs = this.lastReceivedMs = deps.nowMs();
    this.rateLimit = new TokenBucket(this.startedMs);
  }

  /** Receives a message of the client. Must be called with the bytes of each one. */
  async receive(bytes: Uint8Array): Promise<void> {
    if (this.state === 'closed') return;
    this.lastReceivedMs = this.deps.nowMs();
    try {
      this.reader.push(bytes);
      this.checkRate();
      // Frames that arrive during a sign-in wait until it has ended.
      if (this.state !== 'connecting') await this.handleFrames();
      else if (this.reader.pendingBytes > sessionLimits.waitingBytes) {
        throw sessionFaults.tooMuchBeforeSignIn();
      }
    } catch (error) {
      this.fail(error, undefined);
    }
  }

  /** Counts a ping or pong of the client towards its rate limit. Must be called for each one. */
  onControlFrame(): void {
    try {
      this.checkRate();
    } catch (error) {
      this.fail(error, undefined);
    }
  }

  /** Checks the time limits and sends heart-beats. Must be called every `intervalMs`, a few seconds. */
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

  /** Ends the session with an ERROR frame, for example when the sign-in of the user has expired. */
  refuse(message: string): void {
    this.fail(new StompError(message), undefined);
  }

  /** Ends the session. Must be called when the connection has closed. */
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
        // Messages are never resent, whether acknowledged or not.
        return;
      default:
        throw new StompError(`Unknown command ${quoted(command)}.`);
    }
  }

  private async connect(headers: ReadonlyMap<string, string>): Promise<void> {
    const version = negotiateVersion(headers.get('accept-version'));
    this.reader.version = version;
    this.state = 'connecting';
    const { service } = this.deps;
    const userName = await service.signIn({
      userName: headers.get('login') ?? '',
      password: headers.get('passcode') ?? '',
    });
    if (this.isClosed) return;
    this.state = 'connected';
    if (version !== '1.0') this.heartBeat = negotiateHeartBeat(headers.get('heart-beat'));
    this.unsubscribe = service.start((messageOn) => this.publish(messageOn));
    const { heartBeatMs } = sessionLimits;
    this.send([
      this.encode('CONNECTED', [
        ['version', version],
        ...(version === '1.0' ? [] : [['heart-beat', `${heartBeatMs},${heartBeatMs}`] as const]),
        ['server', service.server],
        ...(userName === undefined ? [] : [['user-name', userName] as const]),
      ]),
    ]);
  }

  /**
   * Sends one message at a time, so that a client that does not read is disconnected before many messages are encoded
   * for it.
   */
  private publish(messageOn: (topic: Topic) => StompMessage | undefined): boolean {
    if (this.isClosed) return false;
    const frames = this.subscriptions.encodeMessages(messageOn);
    if (frames.length > 0) this.send(frames);
    return !this.isClosed;
  }

  /** Handles a SEND frame. A frame from one client is never sent to another one. */
  private receiveSend(frame: Frame): void {
    const destination = requireHeader(frame.headers, 'destination');
    this.deps.service.echoesOn(destination);
    decodeUtf8(frame.body);
    const transaction = frame.headers.get('transaction');
    if (transaction === undefined) this.echo(frame);
    else this.transactions.add(transaction, frame);
  }

  private echo(frame: Frame): void {
    const isOn = this.deps.service.echoesOn(requireHeader(frame.headers, 'destination'));
    this.send(this.subscriptions.encodeEcho(frame, isOn, this.version));
  }

  private fail(error: unknown, receipt: string | undefined): void {
    if (this.isClosed) return;
    const isKnown = error instanceof StompError;
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

  /** Whether the session is closed. It is read through a getter, because `state` may have changed during an `await`. */
  private get isClosed(): boolean {
    return this.state === 'closed';
  }
}

function requireHeader(headers: ReadonlyMap<string, string>, name: string): string {
  const value = headers.get(name);
  if (value === undefined || value === '') throw new StompError(`The header ${quoted(name)} is missing.`);
  return value;
}
