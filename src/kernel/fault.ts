/** Kind of a failure in terms of the domain. Only `http/` maps kinds to HTTP statuses. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'wrong-method'
  | 'timeout'
  | 'conflict'
  | 'stale'
  | 'too-large'
  | 'unprocessable'
  | 'unsupported-type'
  | 'unsupported-expectation'
  | 'busy'
  | 'broken'
  | 'unavailable'
  | 'full';

/**
 * Failure that is reported to the user. `code` is stable and meant for programs, such as `entry.unknown-logbook`.
 * `message` says what is wrong, with which value, and what to do. `cause` appears in the log and never leaves the
 * process.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** Number of seconds after which a retry makes sense; undefined: unknown. */
  readonly retryAfterSeconds: number | undefined;
  /** Additional fields of the error, for programs. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    readonly kind: FaultKind,
    readonly code: string,
    message: string,
    options?: { cause?: unknown; retryAfterSeconds?: number; details?: Readonly<Record<string, unknown>> },
  ) {
    super(message, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.details = options?.details;
  }
}

/** Quotes a value for a message on one line, truncated to `maxLength` UTF-16 code units. */
export function quoted(value: unknown, maxLength = 80): string {
  const text = String(value).replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '�');
  return `“${text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text}”`;
}
