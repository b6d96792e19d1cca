import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import type { Log } from '../../kernel/log.js';
import { timeoutError, untilAborted } from '../../kernel/with-timeout.js';
import { describeS3Error, type S3Error, toS3Error } from './s3-errors.js';
import type { S3Options } from './s3-options.js';

const firstPauseMs = 100;
const maxPauseMs = 2_000;
/** Assumed minimum rate at which a server copies or joins data, in bytes per second. */
const serverBytesPerSecond = 8_388_608;

/** Context of one attempt to send a request. */
export interface Attempt {
  readonly client: S3Client;
  /** Aborts after the time limit without progress. */
  readonly signal: AbortSignal;
  /** Must be called after bytes were sent; restarts the time limit. */
  progress(): void;
}

interface Server {
  readonly endpoint: string;
  readonly downloads: S3Client;
  readonly others: S3Client;
}

/** Sends requests to the endpoint that answered last, and to the next one if it fails. */
export class S3Servers {
  private first = 0;
  private problem = '';

  private readonly servers: readonly Server[];

  constructor(
    readonly options: S3Options,
    private readonly log: Log,
  ) {
    // The client would warn about versions of Node.js that this program supports.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
    const connect = (endpoint: string) => new S3Client(toClientConfig(options, endpoint));
    this.servers = options.endpoints.map((endpoint) => ({
      endpoint,
      downloads: connect(endpoint),
      others: connect(endpoint),
    }));
  }

  /**
   * Returns the address and state of each endpoint; the log has the reason for an unavailable one.
   * @param isUsable whether a check of the current endpoint has just succeeded
   */
  statesWhen(isUsable: boolean): readonly { readonly address: string; readonly state: string }[] {
    const current = isUsable ? 'CONNECTED' : 'UNAVAILABLE';
    return this.servers.map(({ endpoint }, index) => ({
      address: new URL(endpoint).host,
      state: index === this.first ? current : 'NOT_IN_USE',
    }));
  }

  get endpoint(): string {
    return this.servers[this.first]?.endpoint ?? '';
  }

  /**
   * Sends `request`, and repeats it for a limited time if the failure may be temporary.
   * @param options.serverBytes number of bytes that the server must process before it responds
   * @throws S3Error
   */
  send<T>(
    request: (attempt: Attempt) => Promise<T>,
    { isDownload = false, isRepeated = true, serverBytes = 0 } = {},
  ): Promise<T> {
    const limitMs = this.options.requestTimeoutMs + (serverBytes / serverBytesPerSecond) * 1_000;
    const attempt = ({ downloads, others }: Server) => tryOnce(isDownload ? downloads : others, request, limitMs);
    return this.repeat(attempt, isRepeated);
  }

  close(): void {
    for (const { downloads, others } of this.servers) {
      downloads.destroy();
      others.destroy();
    }
  }

  private async repeat<T>(work: (server: Server) => Promise<T>, isRepeated: boolean): Promise<T> {
    const endMs = performance.now() + (isRepeated ? this.options.retryTimeoutMs : 0);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const index = this.first;
      const server = this.servers[index];
      if (!server) throw new Error('no endpoint is configured');
      try {
        const result = await work(server);
        this.noteProblem('');
        return result;
      } catch (thrown) {
        const error = toS3Error(thrown);
        const mayHelp = error.isTransient || (error.status === undefined && this.servers.length > 1);
        if (!mayHelp || performance.now() + pauseMs > endMs) throw this.noted(error, server.endpoint);
        // Another request may already have switched to the next endpoint.
        if (this.first === index && error.status !== 429) this.first = (index + 1) % this.servers.length;
        // Random pauses prevent simultaneous retries of all requests.
        await sleep(pauseMs * (0.5 + Math.random() / 2));
      }
    }
  }

  private noted(error: S3Error, endpoint: string): S3Error {
    // Other errors concern a single object.
    if (error.isTransient || error.status === undefined || error.status === 403) {
      this.noteProblem(describeS3Error(error, this.options, endpoint));
    } else this.noteProblem('');
    return error;
  }

  /** Logs a reason once rather than at each attempt. */
  private noteProblem(problem: string): void {
    if (problem === this.problem) return;
    this.problem = problem;
    if (problem === '') this.log.info({ endpoint: this.endpoint }, 'object storage connected');
    else this.log.error({ reason: problem }, 'object storage not usable; will retry');
  }
}

async function tryOnce<T>(client: S3Client, request: (attempt: Attempt) => Promise<T>, limitMs: number): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timeoutError(limitMs)), limitMs);
  try {
    return await untilAborted(limit.signal, () =>
      request({ client, signal: limit.signal, progress: () => timer.refresh() }),
    );
  } finally {
    clearTimeout(timer);
  }
}

function toClientConfig(options: S3Options, endpoint: string) {
  const { maxConnections: maxSockets, caCertificates, connectTimeoutMs } = options;
  const agent = { keepAlive: true, maxSockets };
  return {
    endpoint,
    region: options.region,
    forcePathStyle: options.pathStyle,
    credentials: { accessKeyId: options.accessKey, secretAccessKey: options.secretKey },
    // Requests carry our own checksums, which all servers understand.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Retries happen in `repeat`: across all endpoints, with the content from its beginning.
    maxAttempts: 1,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      // `tryOnce` limits the time without progress instead.
      requestTimeout: 0,
      socketTimeout: 0,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent({ ...agent, ...(caCertificates !== undefined && { ca: caCertificates }) }),
    },
    logger: silent,
  } as const;
}

const ignore = () => undefined;
/** Silences the warnings of the client. Callers report the errors of their requests. */
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
