import type { FaultKind } from '../../kernel/fault.js';

export const faultStatus: Record<FaultKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  'wrong-method': 405,
  timeout: 408,
  conflict: 409,
  stale: 412,
  'too-large': 413,
  'unsupported-type': 415,
  'unsupported-expectation': 417,
  unprocessable: 422,
  busy: 429,
  broken: 500,
  unavailable: 503,
  full: 507,
};
