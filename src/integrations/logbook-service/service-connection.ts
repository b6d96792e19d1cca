import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, quoted } from '../../kernel/fault.js';
import { readRetryAfterMs } from '../../kernel/retry-after.js';
import { decodeStrictly, decodeUtf8OrWindows1252 } from '../../kernel/text-encoding.js';
import { decodedContent, type ReceivedContent } from './response-content.js';

/** Address of a running service, and settings for requests to it. */
export interface ServiceAddress {
  /** URL with the root path, such as `https://logbook.example.org:8181/logbook`. */
  readonly url: URL;
  /** Headers of each request, such as `Authorization`. Never logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM of the only trusted authorities. Undefined: the authorities that Node.js trusts. */
  readonly caCertificates: string | undefined;
  readonly requestsPerSecond: number;
  /** Time limit for the status of a response, and for each pause in its body. */
  readonly timeoutMs: number;
}

/** Maximum size of one JSON response, which is held in memory. */
const maxJsonBytes = 67_108_864;
const maxAttempts = 7;
const firstDelayMs = 250;
const maxDelayMs = 30_000;
/** Maximum pause that a service can request. */
const maxWaitMs = 120_000;
/** Maximum interval between two requests to a service that limits them. */
const maxIntervalMs = 1_000;
/** TLS failures that another attempt cannot fix. */
const untrusted =
  /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO|ERR_SSL_)/;
/** Maximum number of attempts for a request whose response is not JSON. */
const maxUnreadable = 3;
const repeatedStatuses = [408, 425, 429, 500, 502, 503, 504];

/** Thrown for a response that exceeds its size limit. */
export class TooLargeResponse extends Error {}

/** Fault for an unusable answer: an error status, a redirect, or a body other than JSON. */
export class UnusableAnswer extends Fault {
  /** @param status status of the response */
  constructor(
    readonly status: number,
    { kind, code, message, cause }: Fault,
  ) {
    super(kind, code, message, { cause });
  }
}

/** Sends GET requests to a service at a limited rate, and repeats them after temporary failures. */
export class ServiceConnection {
  private readonly agent: HttpAgent;
  private nextMs = 0;
  private intervalMs: number;
  /** Time until which further refusals do not slow down requests again. */
  private slowedUntilMs = 0;

  constructor(private readonly address: ServiceAddress) {
    const { caCertificates } = address;
    this.intervalMs = 1_000 / address.requestsPerSecond;
    const options = { keepAlive: true, maxSockets: 8 };
    this.agent =
      address.url.protocol === 'https:'
        ? new HttpsAgent({ ...options, ...(caCertificates !== undefined && { ca: caCertificates }) })
        : new HttpAgent(options);
  }

  /**
   * Returns the parsed body; null when it is empty.
   * @param attempts maximum number of attempts
   * @throws UnusableAnswer, TooLargeResponse
   * @throws Fault unavailable `import.source-unavailable`
   */
  async getJson(path: string, signal: AbortSignal, attempts = maxAttempts): Promise<unknown> {
    return this.repeat(path, signal, attempts, async (response) => {
      const bytes = await readBytes(decodedContent(response, path), maxJsonBytes);
      const text = toText(bytes, response.headers['content-type']);
      try {
        return text === '' ? null : (JSON.parse(text) as unknown);
      } catch (error) {
        const message = `The source did not respond with JSON to ${quoted(path)}, but with ${quoted(text, 60)}. Check the address, with its root path.`;
        throw new UnusableAnswer(200, new Fault('invalid', 'import.source-invalid', message, { cause: error }));
      }
    });
  }

  /** Returns the response before its body is read. @throws as `getJson` */
  async open(path: string, signal: AbortSignal, attempts = maxAttempts): Promise<ReceivedContent> {
    return this.repeat(path, signal, attempts, async (response) => ({
      content: decodedContent(response, path),
      mediaType: response.headers['content-type'],
    }));
  }

  async close(): Promise<void> {
    this.agent.destroy();
  }

  private async repeat<T>(
    path: string,
    signal: AbortSignal,
    attempts: number,
    use: (response: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.waitForTurn(signal);
      try {
        const response = await this.send(path, signal);
        if (response.statusCode === 200 || response.statusCode === 204) {
          this.speedUp();
          return await use(response);
        }
        throw await this.toRefusal(path, response);
      } catch (error) {
        signal.throwIfAborted();
        const retryMs = delayAfter(error, attempt);
        const isLimited = error instanceof UnusableAnswer && error.status === 429;
        const most = isLimited ? Math.max(attempts, maxAttempts) : attempts;
        if (retryMs === undefined || attempt >= most) throw toFault(error, path);
        if (isLimited) this.slowDown(retryMs);
        await sleep(retryMs, undefined, { signal });
      }
    }
  }

  private async waitForTurn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const nowMs = performance.now();
    const turnMs = Math.max(nowMs, this.nextMs);
    this.nextMs = turnMs + this.intervalMs;
    if (turnMs > nowMs) await sleep(turnMs - nowMs, undefined, { signal });
  }

  /** Reacts to the rate limit of the service: all requests wait, and then follow at longer intervals. */
  private slowDown(waitMs: number): void {
    const nowMs = performance.now();
    this.nextMs = Math.max(this.nextMs, nowMs + waitMs);
    if (nowMs < this.slowedUntilMs) return;
    this.slowedUntilMs = nowMs + waitMs;
    this.intervalMs = Math.min(Math.max(this.intervalMs * 2, 10), maxIntervalMs);
  }

  private speedUp(): void {
    this.intervalMs = Math.max(this.intervalMs * 0.99, 1_000 / this.address.requestsPerSecond);
  }

  private send(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { url, headers, timeoutMs } = this.address;
    const target = new URL(`${url.href.replace(/\/+$/, '')}${path}`);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const request = send(target, {
        headers: { accept: 'application/json, */*', ...headers },
        agent: this.agent,
        signal,
      });
      request.setTimeout(timeoutMs, () => request.destroy(new Error(`no data for ${timeoutMs / 1_000} s`)));
      request.on('response', resolve);
      request.on('error', reject);
      request.on('upgrade', (_response, socket) => socket.destroy(new Error('the connection was upgraded')));
      request.on('close', () => reject(new Error('the connection was closed')));
      request.end();
    });
  }

  private async toRefusal(path: string, response: IncomingMessage): Promise<Error> {
    const { statusCode = 0, headers } = response;
    const text = await readStart(response, path);
    if (statusCode >= 300 && statusCode < 400) {
      const message = `The source redirects ${quoted(path)} to ${quoted(headers.location ?? '')}, which is not followed. If it redirects everything, give that address.`;
      return new UnusableAnswer(statusCode, new Fault('invalid', 'import.source-invalid', message));
    }
    const answered = `The source responded with status ${statusCode} to ${quoted(path)}`;
    if (statusCode === 401 || statusCode === 403) {
      const message = `${answered}. Check the user and the password, or the token.`;
      return new UnusableAnswer(statusCode, new Fault('unavailable', 'import.source-refused', message));
    }
    const detail = text === '' ? '' : `: ${quoted(text, 200)}`;
    const fault = new Fault('unavailable', 'import.source-unavailable', `${answered}${detail}.`);
    const refusal = new UnusableAnswer(statusCode, fault);
    return Object.assign(refusal, { waitMs: readRetryAfterMs(headers['retry-after']) });
  }
}

/** Returns the delay before the next attempt, in milliseconds; undefined: another attempt would fail, too. */
function delayAfter(error: unknown, attempt: number): number | undefined {
  if (error instanceof TooLargeResponse) return undefined;
  if (error instanceof UnusableAnswer) {
    // A proxy may send a web page while the service restarts.
    if (!repeatedStatuses.includes(error.status) && error.status !== 200) return undefined;
    if (error.status === 200 && attempt >= maxUnreadable) return undefined;
    const { waitMs } = error as { waitMs?: number };
    if (waitMs !== undefined) return Math.min(waitMs, maxWaitMs);
  } else if (error instanceof Fault || isUntrusted(error)) return undefined;
  return Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
}

function toFault(error: unknown, path: string): unknown {
  if (error instanceof Fault || error instanceof TooLargeResponse) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const advice = !isUntrusted(error)
    ? `${code ?? message}. Check that it runs; run the import again to continue where it ended.`
    : /^(?:EPROTO|ERR_SSL_)/.test(String(code))
      ? `it does not use TLS at this address (${code}). If the service uses plain HTTP, give an http:// address.`
      : `its certificate is not trusted (${code}: ${message}). Check the host name in the address, or give the certificate of its authority with --source-ca-file.`;
  const fault = `The source did not answer ${quoted(path)}: ${advice}`;
  return new Fault('unavailable', 'import.source-unavailable', fault, { cause: error });
}

const isUntrusted = (error: unknown) => untrusted.test(String((error as NodeJS.ErrnoException).code));

/**
 * Decodes a text in the charset that its media type names; by default, UTF-8. If the bytes are not valid in that
 * charset, each run of non-ASCII bytes is decoded as UTF-8 or else as windows-1252.
 */
function toText(bytes: Buffer, mediaType = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([\w:.-]{1,40})/i.exec(mediaType) ?? [];
  const text = decodeStrictly(bytes, charset);
  const decodeRun = (run: string) => decodeUtf8OrWindows1252(Buffer.from(run, 'latin1'));
  return text ?? bytes.toString('latin1').replace(/[\x80-\xff]+/g, decodeRun);
}

/** Returns the text of a refusal; empty if it is too long for a message. */
async function readStart(response: IncomingMessage, path: string): Promise<string> {
  try {
    return toText(await readBytes(decodedContent(response, path), 2_000), response.headers['content-type']);
  } catch {
    return '';
  }
}

async function readBytes(response: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw new TooLargeResponse(`the response has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
