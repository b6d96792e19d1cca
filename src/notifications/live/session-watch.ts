import type { RequestCredentials } from '../../auth/authenticator.js';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';

const intervalMs = 60_000;

/**
 * Calls `onExpired` when the session or token of a connection has expired, or the groups or roles of its user have
 * changed, because a connection can stay open for days. Passwords are not checked again. Returns a function that stops
 * the watch.
 */
export function watchSession(
  identify: (credentials: RequestCredentials) => Promise<Principal | undefined>,
  credentials: RequestCredentials,
  principal: Principal,
  onExpired: () => void,
): () => void {
  if (credentials.authorization === undefined ? credentials.sessionSecret === undefined : isPassword(credentials)) {
    return () => undefined;
  }
  const check = async () => {
    try {
      const now = await identify(credentials);
      if (now && isSame(now, principal)) return;
    } catch (error) {
      // An unavailable storage or directory does not end a session.
      if (!(error instanceof Fault) || error.kind !== 'unauthenticated') return;
    }
    onExpired();
  };
  const timer = setInterval(() => void check(), intervalMs).unref();
  return () => clearInterval(timer);
}

function isSame(one: Principal, other: Principal): boolean {
  const shape = ({ userName, roles, groups }: Principal) =>
    JSON.stringify([userName, [...roles].sort(), [...groups].sort()]);
  return shape(one) === shape(other);
}

function isPassword({ authorization = '' }: RequestCredentials): boolean {
  return /^basic /i.test(authorization);
}
