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
/** Minimum rate at which a server copies or joins, in bytes per second. */
const serverBytesPerSecond = 8_388_608;

/** One attempt to send a request. */
export interface Attempt {
  readonly client: S3Client;
  /** Aborts when nothing has happened for the time limit. */
  readonly signal: AbortSignal;
  /** Must be called when bytes were sent: restarts the time limit. */
  progress(): void;
}

interface Server {
  readonly endpoint: string;
  readonly downloads: S3Client;
  readonly others: S3Client;
}

/** Sends requests to object storage: to the endpoint that answered last, and to the next one when it fails. */
export class S3Servers {
  private first = 0;
  private problem = '';

  private readonly servers: readonly Server[];

  constructor(
    readonly options: S3Options,
    private readonly log: Log,
  ) {
    // Which versions of Node.js this program supports is its own decision.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
    const connect = (endpoint: string) => new S3Client(toClientConfig(options, endpoint));
    this.servers = options.endpoints.map((endpoint) => ({
      endpoint,
      downloads: connect(endpoint),
      others: connect(endpoint),
    }));
  }

  /**
   * Each endpoint and its state; why it is unavailable is in the log.
   * @param isUsable whether a check of the one in use has just succeeded
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
   * Repeats `request` while its failure may be temporary, for a limited time.
   * @param options.serverBytes how much the server has to work through before it answers
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
        // Another request may already have moved to the next one.
        if (this.first === index && error.status !== 429) this.first = (index + 1) % this.servers.length;
        // Spreads the requests, so that they are not all repeated at the same time.
        await sleep(pauseMs * (0.5 + Math.random() / 2));
      }
    }
  }

  private noted(error: S3Error, endpoint: string): S3Error {
    // Other errors are answers about one object.
    if (error.isTransient || error.status === undefined || error.status === 403) {
      this.noteProblem(describeS3Error(error, this.options, endpoint));
    } else this.noteProblem('');
    return error;
  }

  /** Logs each reason once, not at each attempt. */
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
    // Requests have checksums of ours, which all servers understand.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Requests are repeated here: with all endpoints, and the content from its beginning.
    maxAttempts: 1,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      // Time is limited here, by progress.
      requestTimeout: 0,
      socketTimeout: 0,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent({ ...agent, ...(caCertificates !== undefined && { ca: caCertificates }) }),
    },
    logger: silent,
  } as const;
}

const ignore = () => undefined;
/** Silences the warnings that the client would print. Callers report the errors of their requests. */
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
