import { BackOff } from './back-off.js';
import { HttpClient } from './http-client.js';
import { parseLenient } from './lenient-json.js';
import { type Missing, type SourceState, SourceUnavailable } from './sources.port.js';

export interface WebSourceOptions {
  /** Base address of the operations. */
  readonly url: string;
  /** Certificates of the only trusted authorities, in PEM; undefined: the authorities that Node.js trusts. */
  readonly caCertificates: string | undefined;
  readonly timeoutMs: number;
}

interface GetOptions<T> {
  /** Maximum size of the answer, in bytes. */
  readonly maxBytes?: number;
  /** Result for an answer that is too large. Default: the source has failed. */
  readonly whenTooLarge?: Missing;
  /** Parses the text of the answer. Rejects when it is incomplete. Default: parses it as lenient JSON. */
  readonly parse: (text: string, signal: AbortSignal) => T | Promise<T>;
}

const asJson: GetOptions<unknown> = { parse: parseLenient };
/** Stands for a refused request. It is not a failure of the source, which may refuse the name of one device. */
const refused = Symbol('refused');

/** Maximum size of an answer. Parsing a larger one would block the process. */
const maxAnswerBytes = 524_288;

/** A source that answers with JSON over HTTP. */
export abstract class WebSource {
  /** Name of the source, such as `channel-finder`. */
  protected abstract readonly name: string;
  private readonly http: HttpClient;
  private readonly backOff = new BackOff();

  constructor({ url, caCertificates, timeoutMs }: WebSourceOptions) {
    this.http = new HttpClient(url.replace(/\/+$/, ''), { caCertificates, timeoutMs, maxBytes: maxAnswerBytes });
  }

  get state(): SourceState {
    return { name: this.name, failure: this.backOff.failure };
  }

  close(): void {
    this.http.close();
  }

  /**
   * Returns a parsed answer; undefined when the requested item does not exist.
   * @throws SourceUnavailable
   */
  protected get(path: string, signal: AbortSignal): Promise<unknown>;
  protected get<T>(path: string, signal: AbortSignal, options: GetOptions<T>): Promise<T | Missing | undefined>;
  protected async get<T>(
    path: string,
    signal: AbortSignal,
    { maxBytes, whenTooLarge, parse }: GetOptions<T | unknown> = asJson,
  ): Promise<unknown> {
    const answer = await this.backOff.run(signal, async () => {
      const { status, text } = await this.http.request(path, signal, { maxBytes });
      if (status === 404) return undefined;
      if (status === 400) return refused;
      if (status !== 200) throw new SourceUnavailable(`it answered with status ${status}`);
      if (text === undefined && whenTooLarge) return whenTooLarge;
      if (text === undefined) throw new SourceUnavailable('its answer is too large');
      try {
        return await parse(text, signal);
      } catch {
        signal.throwIfAborted();
        throw new SourceUnavailable('it sent something other than a complete answer');
      }
    });
    if (answer === refused) throw new SourceUnavailable('it answered with status 400');
    return answer;
  }
}

/** Returns a string or number of an answer as a string; empty for anything else. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, maxTextLength) : typeof value === 'number' ? String(value) : '';
}

const maxTextLength = 1_000;
