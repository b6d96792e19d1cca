import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type {} from '../admission/admit-requests.js';
import { describeRequest, mayLogTexts } from './request-log.js';

/** The search of a request, kept for the log line in case the request is slow. */
export interface NotedSearch {
  /** Returns the query as the service understood it, at most 1,000 characters. */
  readonly describe: () => string;
  /** Number of matches; undefined while the search runs and after it failed. */
  hitCount?: number;
  ms: number;
}

declare module './request-context.js' {
  interface RequestContext {
    /** Time from the start of the request until its body had arrived. */
    receivedMs?: number;
    /** Time from the start of the request until its response was ready to be sent. */
    answeredMs?: number;
    notedSearch?: NotedSearch;
  }
}

export interface SlowRequestOptions {
  /** Minimum duration of a slow request; undefined: none is slow. */
  readonly thresholdMs: number | undefined;
  /** Called for each slow request, even if it is not logged. */
  readonly count: () => void;
}

/** Maximum number of lines per period. A failing disk makes all requests slow; their lines must not fill the disk. */
const maxLines = 60;
const periodMs = 60_000;

/**
 * Logs each slow request with the parts of its duration. The time in which the client sent the request or read the
 * response does not count, because it depends on the client and its connection.
 */
export class SlowRequests {
  private periodStartMs = Number.NEGATIVE_INFINITY;
  private lines = 0;
  private omitted = 0;

  constructor(private readonly options: SlowRequestOptions) {}

  /** Measures the requests of all routes. */
  watch(app: FastifyInstance): void {
    if (this.options.thresholdMs === undefined) return;
    app.addHook('onRequest', (request, reply, done) => {
      const { headers } = request;
      if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
        request.raw.once('end', () => {
          request.context.receivedMs ??= reply.elapsedTime;
        });
      }
      done();
    });
    app.addHook('onSend', (request, reply, payload, done) => {
      request.context.answeredMs ??= reply.elapsedTime;
      done(null, payload);
    });
  }

  /**
   * Logs the request if it was slow. Must be called when the request has ended.
   * @param userName for the line
   */
  report(request: FastifyRequest, reply: FastifyReply, userName: string | undefined): void {
    const { thresholdMs, count } = this.options;
    if (thresholdMs === undefined) return;
    const times = timesOf(request, reply.elapsedTime);
    if (times.waitingMs + times.searchingMs + times.otherMs < thresholdMs) return;
    count();
    const omittedLines = this.takeLine();
    if (omittedLines === undefined) return;
    const { url: _url, ...described } = describeRequest(request, reply, userName);
    request.log.warn(
      {
        ...described,
        route: request.context.route.url ?? 'unknown',
        status: reply.statusCode,
        ...times,
        ...describeSearch(request.context.notedSearch, mayLogTexts(request)),
        ...(omittedLines > 0 && { omittedLines }),
      },
      'slow request',
    );
  }

  /** Returns the number of lines omitted since the last written one; undefined when this line must be omitted too. */
  private takeLine(): number | undefined {
    const nowMs = performance.now();
    if (nowMs - this.periodStartMs >= periodMs) {
      this.periodStartMs = nowMs;
      this.lines = 0;
    }
    if (this.lines >= maxLines) {
      this.omitted += 1;
      return undefined;
    }
    this.lines += 1;
    const { omitted } = this;
    this.omitted = 0;
    return omitted;
  }
}

/** Returns the parts of the time of a request, in milliseconds. */
function timesOf(request: FastifyRequest, elapsedMs: number) {
  const { receivedMs = 0, answeredMs = elapsedMs, waitedMs = 0, notedSearch } = request.context;
  const searchingMs = notedSearch?.ms ?? 0;
  return {
    receivingMs: rounded(receivedMs),
    waitingMs: rounded(waitedMs),
    searchingMs: rounded(searchingMs),
    sendingMs: rounded(elapsedMs - answeredMs),
    otherMs: rounded(answeredMs - receivedMs - waitedMs - searchingMs),
  };
}

const rounded = (ms: number): number => Math.max(0, Math.round(ms * 10) / 10);

function describeSearch(search: NotedSearch | undefined, mayLog: boolean): object {
  return search
    ? { ...(mayLog && { query: search.describe() }), ...(search.hitCount !== undefined && { hits: search.hitCount }) }
    : {};
}
