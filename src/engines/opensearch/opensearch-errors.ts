import { errors } from '@opensearch-project/opensearch';
import { Fault } from '../../kernel/fault.js';
import { limitFault } from '../../kernel/limit.js';
import { searchTooSlow } from '../search-faults.js';

const retryAfterSeconds = 5;
/** Type of the error with which OpenSearch cancels a slow search; see also `requireWhole`. */
const slowSearch = 'task_cancelled_exception';

/** Body of the response to a failed request. */
interface ErrorBody {
  readonly error?: {
    readonly type?: string;
    readonly reason?: string;
    readonly root_cause?: readonly { type?: string }[];
  };
}

/** Error response from OpenSearch, or a missing response. */
export class OpenSearchError extends Error {
  /** @param status HTTP status; undefined: no response */
  constructor(
    readonly status: number | undefined,
    readonly type: string,
    /** Description for users, without host names or user data. */
    readonly summary: string,
    cause: unknown,
    /** Message from OpenSearch; may contain user data. */
    readonly detail = '',
  ) {
    super(`${summary} (${type})`, { cause });
  }
}

export function toOpenSearchError(error: unknown): OpenSearchError {
  if (error instanceof OpenSearchError) return error;
  if (error instanceof errors.ResponseError) {
    const status = error.statusCode ?? 0;
    return toAnsweredError(status, error.body as ErrorBody | string | undefined, error);
  }
  // The request used up its time limit, and this program aborted it.
  if (error instanceof errors.TimeoutError || error instanceof errors.RequestAbortedError) {
    return new OpenSearchError(undefined, 'timeout', 'OpenSearch does not answer in time', error);
  }
  return new OpenSearchError(undefined, codeOf(error), summarizeConnection(error), error);
}

/**
 * Whether the index may have been removed after another one replaced it. During the removal, requests fail as if the
 * index state were incomplete.
 */
export function mayBeRemoved(error: unknown): boolean {
  if (!(error instanceof OpenSearchError) || error.type === slowSearch) return false;
  return error.status !== undefined && (error.status === 404 || error.status >= 500);
}

export function toAnsweredError(
  status: number,
  body: ErrorBody | string | undefined,
  cause?: unknown,
): OpenSearchError {
  const type = typeof body === 'object' ? typeOf(body) : 'unknown';
  return new OpenSearchError(status, type, summarize(status, type), cause, JSON.stringify(body)?.slice(0, 4_000));
}

function typeOf({ error }: ErrorBody): string {
  const cause = error?.root_cause?.[0]?.type;
  return error?.type === 'search_phase_execution_exception' ? (cause ?? error.type) : (error?.type ?? 'unknown');
}

function summarize(status: number, type: string): string {
  if (status === 401) return 'OpenSearch does not accept the user name or the password';
  if (status === 403 && type === 'cluster_block_exception') {
    return 'OpenSearch has blocked writes to the index, which it does when its disk is nearly full';
  }
  if (status === 403) return 'OpenSearch does not permit the request to this user';
  if (status === 404) return 'OpenSearch does not have the index';
  if (status === 429) return 'OpenSearch is overloaded';
  if (status >= 500) return 'OpenSearch cannot answer: its state is not complete';
  return `OpenSearch refused the request with status ${status}`;
}

function summarizeConnection(error: unknown): string {
  const text = `${codeOf(error)} ${error instanceof Error ? error.message : ''}`;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|altnames/i.test(text)) return 'The certificate of OpenSearch is not trusted';
  if (/EPROTO|wrong version number|socket hang up/i.test(text)) {
    return 'OpenSearch ended the connection; perhaps only one side uses TLS';
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(text)) return 'The host name of OpenSearch is not known';
  return 'OpenSearch cannot be reached';
}

function codeOf(error: unknown): string {
  const cause =
    (error as { meta?: { meta?: { connection?: unknown } }; code?: string; name?: string } | undefined) ?? {};
  return cause.code ?? cause.name ?? 'unknown';
}

/** Returns the Fault with which a search is answered; it names no host. */
export function toSearchFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (!(error instanceof OpenSearchError)) return searchUnavailable('the entries to be indexed cannot be read', error);
  const found = error;
  if (found.status === 400 && isTooCostly(found)) return tooManyTerms(error);
  if (found.type === slowSearch) return searchTooSlow();
  return searchUnavailable(found.summary, error);
}

function isTooCostly({ detail }: OpenSearchError): boolean {
  return /too_complex|TooComplex|too_many_clauses|TooManyClauses|maxClauseCount|Determinizing/i.test(detail);
}

function tooManyTerms(cause: unknown): Fault {
  const fault = limitFault('invalid', 'search.too-many-terms', {
    refused: 'Together, the patterns of this search are too costly.',
    limit: { amount: '1,024 patterns', setting: undefined, countedFor: 'each search, regardless of the client' },
    advice: 'Use fewer patterns, and fewer “?” after a “*”.',
  });
  return new Fault(fault.kind, fault.code, fault.message, { cause, ...(fault.details && { details: fault.details }) });
}

export function searchUnavailable(reason: string, cause?: unknown): Fault {
  return new Fault(
    'unavailable',
    'search.unavailable',
    `The search is not available: ${reason}. Reading and writing entries works as usual; search again in a moment.`,
    { cause, retryAfterSeconds },
  );
}

export function searchLagging(cause?: unknown): Fault {
  return new Fault(
    'unavailable',
    'search.lagging',
    'The search index does not contain the latest writes yet. Reading and writing entries works as usual; search again in a moment.',
    { cause, retryAfterSeconds: 1 },
  );
}

export function tooManySearches(maxRunning: number): Fault {
  return limitFault('busy', 'search.busy', {
    refused: 'Too many searches are waiting.',
    limit: { amount: `${maxRunning} searches`, setting: undefined, countedFor: 'all clients together' },
    advice: 'Try again in a moment.',
  });
}

export function tooManyComparisons(maxRunning: number): Fault {
  return limitFault('busy', 'search.busy', {
    refused: 'Too many searches for similar entries are waiting.',
    limit: { amount: `${maxRunning} at a time`, setting: undefined, countedFor: 'all clients together' },
    advice: 'Try again in a moment.',
  });
}

export function indexBuilding(indexed: number, all: number): Fault {
  const progress = all === 0 ? '' : `: ${indexed} of ${all} writes are indexed`;
  return new Fault(
    'unavailable',
    'search.index-building',
    `The search index is being built${progress}. Reading and writing entries works as usual; search again in a minute.`,
    { retryAfterSeconds },
  );
}
