import type { RequestCredentials } from '../../auth/authenticator.js';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';

const intervalMs = 60_000;

/** The part of the authenticator that a watch uses. */
interface CurrentUsers {
  /** @throws Fault unauthenticated when a token is no longer valid */
  identifyWithoutRenewal(credentials: RequestCredentials): Promise<Principal | undefined>;
  /** Returns the user as its provider describes it now; undefined when the account is closed. */
  recheck(principal: Principal): Promise<Principal | undefined>;
}

/**
 * Calls `onExpired` when the session or token of a connection has expired, when the account of its user is closed, or
 * when the groups or roles of the user have changed, because a connection can stay open for days. A password is not
 * checked again, but its account is. Returns a function that stops the watch.
 * @param credentials those of the opening request; undefined: the user signed in with a password later
 */
export function watchSession(
  users: CurrentUsers,
  credentials: RequestCredentials | undefined,
  principal: Principal,
  onExpired: () => void,
): () => void {
  const check = async () => {
    try {
      const now = await (credentials === undefined || isPassword(credentials)
        ? users.recheck(principal)
        : users.identifyWithoutRenewal(credentials));
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
