/** The result codes of RFC 4511 that this directory uses. */
export const resultCode = {
  success: 0,
  protocolError: 2,
  timeLimitExceeded: 3,
  sizeLimitExceeded: 4,
  compareFalse: 5,
  compareTrue: 6,
  authMethodNotSupported: 7,
  adminLimitExceeded: 11,
  unavailableCriticalExtension: 12,
  noSuchAttribute: 16,
  inappropriateMatching: 18,
  noSuchObject: 32,
  invalidDnSyntax: 34,
  invalidCredentials: 49,
  busy: 51,
  unwillingToPerform: 53,
  other: 80,
} as const;

export type ResultCode = (typeof resultCode)[keyof typeof resultCode];

export interface Result {
  readonly code: ResultCode;
  /** The deepest entry above the one that is not there. */
  readonly matchedDn?: string;
  readonly message?: string;
}

/** Ends a request with a result other than success. */
export class Refusal extends Error implements Result {
  override readonly name = 'Refusal';

  constructor(
    readonly code: ResultCode,
    message: string,
    readonly matchedDn = '',
  ) {
    super(message);
  }
}
