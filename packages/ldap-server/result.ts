/** The result codes of RFC 4511 that this server sends. */
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
  /** The closest existing ancestor of an entry that does not exist. */
  readonly matchedDn?: string;
  readonly message?: string;
}

/** Ends a request with a result other than success. */
export class LdapResultError extends Error implements Result {
  override readonly name = 'LdapResultError';

  constructor(
    readonly code: ResultCode,
    message: string,
    readonly matchedDn = '',
  ) {
    super(message);
  }
}
