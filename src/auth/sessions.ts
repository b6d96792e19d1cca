import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.js';
import type { ClockWatch } from '../kernel/clock-watch.js';
import { Fault } from '../kernel/fault.js';
import { type Account, type AccountKey, isSameAccount } from './accounts.js';
import type { AuthStorage } from './auth-storage.js';
import { sealToken } from './sealed-token.js';
import { hashSecret } from './secret.js';
import type { Session } from './session-store.port.js';

export interface SessionTimes {
  /** Time without use after which a session expires. */
  readonly idleMs: number;
  /** Time after its opening at which a session expires regardless of use. */
  readonly totalMs: number;
}

/** Dependencies of the expiry of sessions and tokens. */
export interface ExpiryDeps {
  readonly storage: AuthStorage;
  readonly clock: Clock;
  readonly clockWatch: Pick<ClockWatch, 'mayRemoveByAge'>;
}

const secretBytes = 32;
const secretLength = Math.ceil((secretBytes * 8) / 6);

/** Whether a text has the form of the secret of a session, in base64url. */
export const isSessionSecret = (text: string): boolean => text.length === secretLength && /^[\w-]+$/.test(text);

/** Maximum number of sessions per account. Opening another one ends the oldest. */
const maxSessions = 100;

/** Sessions of signed-in users. They are stored, and so survive a restart. */
export class Sessions {
  constructor(
    private readonly deps: ExpiryDeps,
    private readonly times: SessionTimes,
  ) {}

  /**
   * Opens a session and resolves to its secret, which is not stored.
   * @param idToken token of an identity provider, kept until the session ends
   */
  async open(account: Account, from: string, idToken?: string): Promise<string> {
    const secret = randomBytes(secretBytes).toString('base64url');
    const nowMs = this.deps.clock.nowMs();
    const session: Session = {
      id: randomBytes(8).toString('hex'),
      tokenHash: hashSecret(secret),
      account,
      ...(idToken !== undefined && { sealedIdToken: sealToken(idToken, secret) }),
      from,
      createdMs: nowMs,
      expiresMs: nowMs + this.times.idleMs,
      endsMs: nowMs + this.times.totalMs,
    };
    await this.deps.storage.write(async (tx) => {
      if (this.deps.clockWatch.mayRemoveByAge()) await tx.sessions.removeExpired(nowMs);
      const present = await tx.sessions.list(account, maxSessions + 10);
      for (const { tokenHash } of present.slice(maxSessions - 1)) await tx.sessions.remove(tokenHash);
      await tx.sessions.put(session);
    });
    return secret;
  }

  /** Returns the session with this secret; undefined when there is none or it has expired. */
  async find(secret: string): Promise<Session | undefined> {
    const session = await this.deps.storage.committed.sessions.find(hashSecret(secret));
    return session && isValid(session, this.deps.clock.nowMs()) ? session : undefined;
  }

  /**
   * Restarts the idle time of a session that is in use. It writes only after a tenth of that time, so that most
   * requests cost no write. It also writes if the clock was set back and the session would last longer than a new one.
   * Never rejects: requests are served without storage, and the next one tries once more.
   */
  async touch(session: Session): Promise<void> {
    const nowMs = this.deps.clock.nowMs();
    const { idleMs, totalMs } = this.times;
    const idleLeftMs = session.expiresMs - nowMs;
    if (idleLeftMs >= idleMs * 0.9 && idleLeftMs <= idleMs && session.endsMs - nowMs <= totalMs) return;
    const extending = this.deps.storage.write(async (tx) => {
      // A session that was ended concurrently must remain ended, and concurrently changed groups must be kept.
      const present = await tx.sessions.find(session.tokenHash);
      if (!present) return;
      const endsMs = Math.min(present.endsMs, nowMs + totalMs);
      await tx.sessions.put({ ...present, expiresMs: nowMs + idleMs, endsMs });
    });
    await extending.catch(() => undefined);
  }

  /** Returns the session with this id; undefined when there is none or it has expired. */
  async findById(id: string): Promise<Session | undefined> {
    const session = await this.deps.storage.committed.sessions.findById(id);
    return session && isValid(session, this.deps.clock.nowMs()) ? session : undefined;
  }

  /** Applies changes that a provider reports, such as leaving a group, to the sessions of the user. */
  async refresh(account: Account): Promise<void> {
    const { committed } = this.deps.storage;
    const stale = (await committed.sessions.list(account, maxSessions)).filter(
      (session) => !isSameAccount(session.account, account),
    );
    if (stale.length === 0) return;
    await this.deps.storage.write(async (tx) => {
      for (const { tokenHash } of stale) {
        // A session that was ended concurrently must remain ended.
        const session = await tx.sessions.find(tokenHash);
        if (session) await tx.sessions.put({ ...session, account });
      }
    });
  }

  /** Ends all sessions of the account. */
  async endAll(account: AccountKey): Promise<void> {
    const present = await this.deps.storage.committed.sessions.list(account, maxSessions + 10);
    if (present.length === 0) return;
    await this.deps.storage.remove(async (tx) => {
      for (const { tokenHash } of present) await tx.sessions.remove(tokenHash);
    });
  }

  /** Lists the valid sessions among the newest `limit`, of one account or of all, newest first. */
  async list(owner: AccountKey | undefined, limit: number): Promise<Session[]> {
    const nowMs = this.deps.clock.nowMs();
    const sessions = await this.deps.storage.committed.sessions.list(owner, limit);
    return sessions.filter((session) => isValid(session, nowMs));
  }

  /**
   * Ends the session with this secret, if there is one.
   * @throws Fault full `session.not-ended`
   */
  async close(secret: string): Promise<void> {
    await this.remove(hashSecret(secret));
  }

  /**
   * Ends a listed session.
   * @throws Fault full `session.not-ended`
   */
  async revoke({ tokenHash }: Session): Promise<void> {
    await this.remove(tokenHash);
  }

  private async remove(tokenHash: string): Promise<void> {
    await this.deps.storage
      .remove((tx) => tx.sessions.remove(tokenHash))
      .catch((error: unknown) => {
        if (!(error instanceof Fault) || error.kind !== 'full') throw error;
        throw new Fault(
          'full',
          'session.not-ended',
          'The disk of the logbook is full; the session could not be ended and is still valid. Free some space, then end it from the list of sessions.',
          { cause: error },
        );
      });
  }
}

function isValid(session: Session, nowMs: number): boolean {
  return expiryOf(session) > nowMs;
}

/** Returns when the session expires unless it is used before, in milliseconds since the epoch. */
export function expiryOf({ expiresMs, endsMs }: Session): number {
  return Math.min(expiresMs, endsMs);
}
