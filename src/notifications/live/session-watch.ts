import type { RequestCredentials } from '../../auth/authenticator.js';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';

const everyMs = 60_000;

/**
 * Calls `onEnd` when the session or the token by which somebody follows has ended, or is of somebody with other groups
 * or roles by now: a connection lives for days. Of a password it is not asked again. Returns the way to stop that.
 */
export function watchSession(
  identify: (evidence: RequestCredentials) => Promise<Principal | undefined>,
  evidence: RequestCredentials,
  principal: Principal,
  onEnd: () => void,
): () => void {
  if (evidence.authorization === undefined ? evidence.sessionSecret === undefined : isPassword(evidence)) {
    return () => undefined;
  }
  const look = async () => {
    try {
      const now = await identify(evidence);
      if (now && isSame(now, principal)) return;
    } catch (error) {
      // When it cannot be known, nothing has ended.
      if (!(error instanceof Fault) || error.kind !== 'unauthenticated') return;
    }
    onEnd();
  };
  const timer = setInterval(() => void look(), everyMs).unref();
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
