/** What went wrong, in terms of the domain. `http/` alone knows which status each kind becomes. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'timeout'
  | 'conflict'
  | 'stale'
  | 'too-large'
  | 'unsupported-type'
  | 'busy'
  | 'broken'
  | 'unavailable'
  | 'full';

/**
 * A failure that a person is told about.
 *
 * `code` is stable and meant for programs, such as `entry.unknown-logbook`; `message` says what is wrong, with which
 * value, and what to do. `cause` stays in the log and never leaves the process.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** When it makes sense to try again, where that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly kind: FaultKind,
    readonly code: string,
    message: string,
    options?: { cause?: unknown; retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** A value as it may be quoted in a message: bounded, on one line. */
export function quoted(value: unknown, maxLength = 80): string {
  const text = String(value).replace(/[\p{Cc}\p{Cs}]/gu, '�');
  return `“${text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}”`;
}
