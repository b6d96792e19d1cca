import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { type Account, isSameAccount } from './accounts.js';
import type { AuthStorage } from './auth-storage.js';
import { hashOfSecret } from './secret.js';
import type { Session } from './session-store.port.js';

export interface SessionTimes {
  /** A session that is unused for so long ends. */
  readonly idleMs: number;
  /** A session ends after so long, however much it is used. */
  readonly totalMs: number;
}

/** Of one user; with one more, the oldest ends. */
const maxSessions = 100;

/** Sessions of people who signed in: kept in the storage, so that a restart ends none. */
export class Sessions {
  constructor(
    private readonly deps: { readonly storage: AuthStorage; readonly clock: Clock },
    private readonly times: SessionTimes,
  ) {}

  /** A new session; resolves to its secret, which is stored nowhere. */
  async open(account: Account, from: string): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const nowMs = this.deps.clock.nowMs();
    const session: Session = {
      id: randomBytes(8).toString('hex'),
      tokenHash: hashOfSecret(secret),
      account,
      from,
      createdMs: nowMs,
      expiresMs: nowMs + this.times.idleMs,
      endsMs: nowMs + this.times.totalMs,
    };
    await this.deps.storage.write(async (tx) => {
      await tx.sessions.removeExpired(nowMs);
      const present = await tx.sessions.list(account.userName, maxSessions + 10);
      for (const { tokenHash } of present.slice(maxSessions - 1)) await tx.sessions.remove(tokenHash);
      await tx.sessions.put(session);
    });
    return secret;
  }

  /** The session of a secret, if it is still valid. */
  async peek(secret: string): Promise<Session | undefined> {
    const session = await this.deps.storage.committed.sessions.find(hashOfSecret(secret));
    return session && isValid(session, this.deps.clock.nowMs()) ? session : undefined;
  }

  /** The session of a secret, if it is still valid; being asked for keeps it so. */
  async find(secret: string): Promise<Session | undefined> {
    const session = await this.peek(secret);
    if (!session) return undefined;
    const nowMs = this.deps.clock.nowMs();
    // Not every request is worth a write.
    if (session.expiresMs - nowMs < this.times.idleMs * 0.9) {
      const extended = { ...session, expiresMs: nowMs + this.times.idleMs };
      const extending = this.deps.storage.write(async (tx) => {
        // A sign-out meanwhile stays one.
        if (await tx.sessions.find(session.tokenHash)) await tx.sessions.put(extended);
      });
      // Reading goes on when nothing can be written; the next request tries again.
      await extending.catch(() => undefined);
    }
    return session;
  }

  /** One that is open. */
  async findById(id: string): Promise<Session | undefined> {
    const session = await this.deps.storage.committed.sessions.findById(id);
    return session && isValid(session, this.deps.clock.nowMs()) ? session : undefined;
  }

  /** What somebody has become since, such as out of a group, holds for their other sessions too. */
  async refresh(account: Account): Promise<void> {
    const { committed } = this.deps.storage;
    const stale = (await committed.sessions.list(account.userName, maxSessions)).filter(
      (session) => session.account.scheme === account.scheme && !isSameAccount(session.account, account),
    );
    if (stale.length === 0) return;
    await this.deps.storage.write(async (tx) => {
      for (const { tokenHash } of stale) {
        // One that was ended meanwhile stays so.
        const session = await tx.sessions.find(tokenHash);
        if (session) await tx.sessions.put({ ...session, account });
      }
    });
  }

  /** Those that are open, of one user or of all, the newest first, at most `limit`. */
  async list(userName: string | undefined, limit: number): Promise<Session[]> {
    const nowMs = this.deps.clock.nowMs();
    const sessions = await this.deps.storage.committed.sessions.list(userName, limit);
    return sessions.filter((session) => isValid(session, nowMs));
  }

  async close(secret: string): Promise<void> {
    await this.closeHash(hashOfSecret(secret));
  }

  /** Of a session that was listed. */
  async revoke({ tokenHash }: Session): Promise<void> {
    await this.closeHash(tokenHash);
  }

  /** @throws Fault full `session.not-ended` */
  private async closeHash(tokenHash: string): Promise<void> {
    await this.deps.storage
      .remove((tx) => tx.sessions.remove(tokenHash))
      .catch((error: unknown) => {
        if (!(error instanceof Fault) || error.kind !== 'full') throw error;
        throw new Fault(
          'full',
          'session.not-ended',
          'The disk of the logbook is full; the session could not be ended and stays valid. Free some space, and end it again from the list of sessions.',
          { cause: error },
        );
      });
  }
}

function isValid({ expiresMs, endsMs }: Session, nowMs: number): boolean {
  return Math.min(expiresMs, endsMs) > nowMs;
}
