import { Fault } from '../../kernel/fault.js';
import type { Claims } from './find-claim.js';

/** Maximum difference between the clocks of the provider and of the logbook. */
const maxClockDifferenceMs = 300_000;

/**
 * Checks that the token was issued for this client and during this sign-in, which the library checks only in part.
 * @throws Fault unauthenticated `auth.oidc-refused`
 */
export function checkIdToken(
  { iat, azp }: Claims,
  { clientId, begunMs, nowMs }: { readonly clientId: string; readonly begunMs: number; readonly nowMs: number },
): void {
  if (azp !== undefined && azp !== clientId) throw refused('was issued to another service (claim azp)');
  if (typeof iat !== 'number') throw refused('does not say when it was issued (claim iat)');
  const issuedMs = iat * 1_000;
  if (issuedMs < begunMs - maxClockDifferenceMs || issuedMs > nowMs + maxClockDifferenceMs) {
    throw refused('was not issued during this sign-in (claim iat); check that the clocks of both servers agree');
  }
}

function refused(problem: string): Fault {
  return new Fault(
    'unauthenticated',
    'auth.oidc-refused',
    `The identity provider sent a response that is not accepted: its token ${problem}. Sign in again.`,
  );
}
