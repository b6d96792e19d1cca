import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { SourceUnavailable } from './sources.port.js';

export interface HttpLimits {
  /** Certificates of the only trusted authorities, in PEM; undefined: the authorities that Node.js trusts. */
  readonly caCertificates: string | undefined;
  readonly timeoutMs: number;
  /** Maximum size of an answer, in bytes. */
  readonly maxBytes: number;
}

interface RequestOptions {
  /** JSON to send in a POST; undefined to send a GET. */
  readonly body?: string;
  /** Maximum size of the answer. Default: that of the client. */
  readonly maxBytes?: number | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** Text of the answer; undefined when it is larger than `maxBytes`. */
  readonly text: string | undefined;
}

const maxSockets = 4;

/** Sends requests to one server. Does not follow redirects. */
export class HttpClient {
  private readonly agent: HttpAgent | HttpsAgent;
  private readonly send: typeof requestHttp;

  /** @param base base URL, such as `https://archiver.example.org/retrieval` */
  constructor(
    private readonly base: string,
    private readonly limits: HttpLimits,
  ) {
    const isTls = base.startsWith('https:');
    this.send = isTls ? requestHttps : requestHttp;
    const { caCertificates: ca } = limits;
    const options = { keepAlive: true, maxSockets };
    this.agent = isTls ? new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) }) : new HttpAgent(options);
  }

  /** @throws SourceUnavailable */
  async request(path: string, signal: AbortSignal, options: RequestOptions = {}): Promise<HttpAnswer> {
    const { body, maxBytes = this.limits.maxBytes } = options;
    const timeout = AbortSignal.timeout(this.limits.timeoutMs);
    try {
      const response = await this.respond(path, AbortSignal.any([signal, timeout]), body);
      return { status: response.statusCode ?? 0, text: await readBounded(response, maxBytes) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) throw new SourceUnavailable(`no answer within ${this.limits.timeoutMs / 1_000} s`);
      const { code, message } = error as NodeJS.ErrnoException;
      throw new SourceUnavailable(`the connection failed: ${code ?? message}`, { cause: error });
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private respond(path: string, signal: AbortSignal, body: string | undefined): Promise<IncomingMessage> {
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const method = body === undefined ? 'GET' : 'POST';
    return new Promise((resolve, reject) => {
      const sent = this.send(`${this.base}${path}`, { method, headers, agent: this.agent, signal });
      sent.on('response', resolve);
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

async function readBounded(response: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      response.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
