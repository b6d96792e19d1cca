import type { AccountState } from '../../auth/authentication-provider.port.js';
import type { Log } from '../../kernel/log.js';
import { describeError } from './describe-error.js';

/** Looks an account up; returns `unknown` when the directory does not answer. */
export async function recheckRemotely(log: Log, lookUp: () => Promise<AccountState>): Promise<AccountState> {
  try {
    return await lookUp();
  } catch (error) {
    log.warn({ ...describeError(error), err: error }, 'LDAP account check failed');
    return { kind: 'unknown' };
  }
}
