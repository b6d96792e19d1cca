import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.js';
import type { Storage } from '../storage/storage.port.js';
import type { Principal } from './principal.js';

/** Sessions of people who signed in: kept in the storage, so that a restart ends none. */
export class Sessions {
  constructor(
    private readonly deps: { readonly storage: Storage; readonly clock: Clock },
    /** A session that is unused for so long ends. */
    private readonly timeoutMs: number,
  ) {}

  /** A new session; resolves to its secret, which is stored nowhere. */
  async open(principal: Principal): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const nowMs = this.deps.clock.nowMs();
    const session = { tokenHash: hashOf(token), principal, createdMs: nowMs, expiresMs: nowMs + this.timeoutMs };
    await this.deps.storage.write(async (tx) => {
      await tx.sessions.removeExpired(nowMs);
      await tx.sessions.put(session);
    });
    return token;
  }

  /** Who opened the session, if it is still valid; being asked for keeps it so. */
  async find(token: string): Promise<Principal | undefined> {
    const session = await this.deps.storage.committed.sessions.find(hashOf(token));
    const nowMs = this.deps.clock.nowMs();
    if (!session || session.expiresMs <= nowMs) return undefined;
    // Not every request is worth a write.
    if (session.expiresMs - nowMs < this.timeoutMs * 0.9) {
      const extended = { ...session, expiresMs: nowMs + this.timeoutMs };
      const extending = this.deps.storage.write(async (tx) => {
        // A sign-out meanwhile stays one.
        if (await tx.sessions.find(session.tokenHash)) await tx.sessions.put(extended);
      });
      // Reading goes on when nothing can be written; the next request tries again.
      await extending.catch(() => undefined);
    }
    return session.principal;
  }

  async close(token: string): Promise<void> {
    await this.deps.storage.write((tx) => tx.sessions.remove(hashOf(token)));
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
