import { type RawData, WebSocket } from 'ws';
import { BackOff } from './back-off.js';
import { isRecord, parseLenient } from './lenient-json.js';
import { PvwsReading } from './pvws-reading.js';
import {
  type LiveValues,
  type Missing,
  type Readings,
  type Sample,
  type SourceState,
  SourceUnavailable,
} from './sources.port.js';

export interface PvwsOptions {
  /** Address of the WebSocket, such as `ws://pvws.example.org:8080/pvws/pv`. */
  readonly url: string;
  /** Certificates of the only trusted authorities, in PEM; undefined: the authorities that Node.js trusts. */
  readonly caCertificates: string | undefined;
  /** Time limit for a device to send its value. */
  readonly timeoutMs: number;
}

/** Maximum size of a subscription, below the 8,192 bytes that the server accepts. */
const maxSubscriptionBytes = 6_000;
const maxSubscriptionNames = 100;
/** Size above which a message ends the connection. */
const maxMessageBytes = 33_554_432;
/** Size above which a message, such as one with a picture, is not parsed. */
const maxParsedBytes = 262_144;
/** Size of the beginning of a message, which contains the name of the device. */
const maxHeadBytes = 4_096;
/** Time after which an unused connection is closed. */
const idleMs = 60_000;

interface Wanted {
  readonly readings: ReadonlyMap<string, PvwsReading>;
  /** Called when all readings are complete, or the connection has ended. */
  readonly onEnd: (failure?: Error) => void;
}

/** PVWS, the WebSocket server for process variables. */
export class Pvws implements LiveValues {
  private readonly backOff = new BackOff();
  private socket: WebSocket | undefined;
  private wanted: Wanted | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly options: PvwsOptions) {}

  get state(): SourceState {
    return { name: 'pvws', failure: this.backOff.failure };
  }

  /** Requests are sequential, so that each one sees only its own updates. */
  read(names: readonly string[], signal: AbortSignal): Promise<Readings> {
    const reading = this.last.then(() => this.backOff.run(signal, () => this.readNow(names, signal)));
    this.last = reading.catch(() => undefined);
    return reading;
  }

  close(): void {
    clearTimeout(this.idle);
    this.socket?.terminate();
  }

  private async readNow(names: readonly string[], signal: AbortSignal): Promise<Readings> {
    clearTimeout(this.idle);
    const socket = await this.connect(signal);
    const readings = new Map(names.map((name) => [name, new PvwsReading()]));
    try {
      await this.await(socket, readings, signal);
    } finally {
      this.wanted = undefined;
      send(socket, 'clear', names);
      this.idle = setTimeout(() => socket.close(), idleMs).unref();
    }
    return new Map<string, Sample | Missing>(
      Array.from(readings, ([name, reading]) => [name, reading.result(this.options.timeoutMs)]),
    );
  }

  /** Subscribes, and resolves when every device has sent its value or the time limit is reached. */
  private await(socket: WebSocket, readings: Wanted['readings'], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (failure?: Error) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        if (failure) reject(failure);
        else resolve();
      };
      const abort = () => end(signal.reason as Error);
      const timer = setTimeout(() => end(), this.options.timeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      this.wanted = { readings, onEnd: end };
      send(socket, 'subscribe', [...readings.keys()]);
    });
  }

  private connect(signal: AbortSignal): Promise<WebSocket> {
    if (this.socket?.readyState === WebSocket.OPEN) return Promise.resolve(this.socket);
    const { url, caCertificates: ca, timeoutMs } = this.options;
    const limits = { handshakeTimeout: timeoutMs, maxPayload: maxMessageBytes, followRedirects: false };
    const socket = new WebSocket(url, { ...limits, ...(ca !== undefined && { ca }) });
    this.socket = socket;
    socket.on('message', (data) => this.onMessage(data));
    return new Promise((resolve, reject) => {
      const abort = () => socket.terminate();
      signal.addEventListener('abort', abort, { once: true });
      socket.once('open', () => {
        signal.removeEventListener('abort', abort);
        resolve(socket);
      });
      const fail = (reason: string) => {
        signal.removeEventListener('abort', abort);
        const failure = new SourceUnavailable(reason);
        reject(failure);
        if (this.socket === socket) this.wanted?.onEnd(failure);
      };
      socket.on('error', ({ message }) => fail(`the connection failed: ${message}`));
      socket.on('close', () => fail('the connection has ended'));
    });
  }

  private onMessage(data: RawData): void {
    const { wanted } = this;
    if (!wanted || !Buffer.isBuffer(data)) return;
    if (data.length > maxParsedBytes) wanted.readings.get(nameIn(data) ?? '')?.setTooLarge();
    else {
      const message = parse(String(data));
      if (message?.type !== 'update' || typeof message.pv !== 'string') return;
      wanted.readings.get(message.pv)?.update(message);
    }
    for (const reading of wanted.readings.values()) if (!reading.isComplete) return;
    wanted.onEnd();
  }
}

/**
 * Returns the name of the device in a message that is too large to be parsed; undefined when it is not at the
 * beginning.
 */
function nameIn(data: Buffer): string | undefined {
  const head = data.toString('utf8', 0, maxHeadBytes);
  const [beginning = ''] = /^\s*\{\s*"type"\s*:\s*"update"\s*,\s*"pv"\s*:\s*"(?:[^"\\]|\\.)*"/.exec(head) ?? [];
  const name = parse(`${beginning}}`)?.pv;
  return typeof name === 'string' ? name : undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const message = parseLenient(text);
    return isRecord(message) ? message : undefined;
  } catch {
    // A malformed message is ignored, because others may still be complete.
    return undefined;
  }
}

/** Sends names, divided into messages of the size that the server accepts. */
function send(socket: WebSocket, type: 'subscribe' | 'clear', names: readonly string[]): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  let pvs: string[] = [];
  let bytes = 0;
  const flush = () => {
    if (pvs.length > 0) socket.send(JSON.stringify({ type, pvs }));
    pvs = [];
    bytes = 0;
  };
  for (const name of names) {
    const length = Buffer.byteLength(JSON.stringify(name)) + 1;
    if (pvs.length === maxSubscriptionNames || bytes + length > maxSubscriptionBytes) flush();
    pvs.push(name);
    bytes += length;
  }
  flush();
}
