import type { Evidence } from '../auth/authenticator.js';
import type { Principal } from '../auth/principal.js';
import { Fault } from '../kernel/fault.js';

const everyMs = 60_000;

/**
 * Calls `onEnd` when the session or the token by which somebody follows has ended: a connection lives for days. Of a
 * password it is not asked again. Returns the way to stop that.
 */
export function watchSignIn(
  identify: (evidence: Evidence) => Promise<Principal | undefined>,
  evidence: Evidence,
  onEnd: () => void,
): () => void {
  if (evidence.authorization === undefined ? evidence.sessionSecret === undefined : isPassword(evidence)) {
    return () => undefined;
  }
  const look = async () => {
    try {
      if (await identify(evidence)) return;
    } catch (error) {
      // When it cannot be known, nothing has ended.
      if (!(error instanceof Fault) || error.kind !== 'unauthenticated') return;
    }
    onEnd();
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}

function isPassword({ authorization = '' }: Evidence): boolean {
  return /^basic /i.test(authorization);
}
