import { randomBytes } from 'node:crypto';
import { quoted } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';
import { type Account, type AccountKey, isSameAccount } from './accounts.js';
import type { Right } from './permissions.js';
import { hashSecret } from './secret.js';
import type { ExpiryDeps } from './sessions.js';
import type { ApiToken } from './token-store.port.js';

/** Makes tokens recognisable to people and to scanners for leaked secrets. */
const prefix = 'logbook_';
/** Maximum number of tokens per user. */
const maxTokens = 100;
const dayMs = 86_400_000;
const maxClockDifferenceMs = 3_600_000;

export interface TokenRequest {
  readonly name: string;
  readonly rights: readonly Right[];
  /** Lifetime of the token in days. */
  readonly days: number;
  /** Whether entries of the token are marked as automatic. Default: false. */
  readonly isAutomatic?: boolean;
}

/** API tokens of programs. Only the hash of a token is stored. */
export class ApiTokens {
  constructor(private readonly deps: ExpiryDeps) {}

  /**
   * Creates a token and returns it with its secret, which is stored nowhere.
   * @throws Fault invalid `token.too-many`
   */
  async create(
    owner: Account,
    { name, rights, days, isAutomatic }: TokenRequest,
  ): Promise<{ token: ApiToken; secret: string }> {
    const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
    const nowMs = this.deps.clock.nowMs();
    const token: ApiToken = {
      id: randomBytes(8).toString('hex'),
      tokenHash: hashSecret(secret),
      name,
      account: owner,
      rights,
      ...(isAutomatic && { isAutomatic }),
      createdMs: nowMs,
      expiresMs: nowMs + days * dayMs,
    };
    await this.deps.storage.write(async (tx) => {
      const present = await tx.tokens.list(owner, maxTokens + 1);
      const expired = this.deps.clockWatch.mayRemoveByAge()
        ? present.filter(({ expiresMs }) => expiresMs <= nowMs)
        : [];
      for (const { id } of expired) await tx.tokens.remove(id);
      if (present.filter(({ expiresMs }) => expiresMs > nowMs).length >= maxTokens) {
        throw limitFault('invalid', 'token.too-many', {
          refused: 'There are too many tokens.',
          limit: {
            amount: `${maxTokens} tokens`,
            setting: undefined,
            countedFor: `the user ${quoted(owner.userName)}`,
          },
          advice: 'Delete one that is no longer needed.',
        });
      }
      await tx.tokens.put(token);
    });
    return { token, secret };
  }

  /** Returns the token with this secret; undefined when there is none or it has expired. */
  async find(secret: string): Promise<ApiToken | undefined> {
    if (!secret.startsWith(prefix)) return undefined;
    const token = await this.deps.storage.committed.tokens.find(hashSecret(secret));
    if (!token || token.expiresMs <= this.deps.clock.nowMs()) return undefined;
    return this.shortenFromFuture(token);
  }

  /**
   * Shortens the lifetime of a token that was created while the clock was ahead; it would last longer than requested.
   */
  private async shortenFromFuture(token: ApiToken): Promise<ApiToken> {
    const aheadMs = token.createdMs - this.deps.clock.nowMs();
    if (aheadMs <= maxClockDifferenceMs) return token;
    const { createdMs, expiresMs } = token;
    const shortened = { ...token, createdMs: createdMs - aheadMs, expiresMs: expiresMs - aheadMs };
    // If the storage fails, the next use tries once more.
    await this.deps.storage
      .write(async (tx) => {
        if (await tx.tokens.find(token.tokenHash)) await tx.tokens.put(shortened);
      })
      .catch(() => undefined);
    return shortened;
  }

  /** Returns the token with this id; undefined when there is none or it has expired. */
  async findById(id: string): Promise<ApiToken | undefined> {
    const token = await this.deps.storage.committed.tokens.findById(id);
    return token && token.expiresMs > this.deps.clock.nowMs() ? token : undefined;
  }

  /** Lists the valid tokens among the newest `limit`, of one account or of all, newest first. */
  async list(owner: AccountKey | undefined, limit: number): Promise<ApiToken[]> {
    const nowMs = this.deps.clock.nowMs();
    const tokens = await this.deps.storage.committed.tokens.list(owner, limit);
    return tokens.filter(({ expiresMs }) => expiresMs > nowMs);
  }

  /** Removes the token. Returns false if there was nothing to remove. */
  async remove(id: string): Promise<boolean> {
    return this.deps.storage.remove((tx) => tx.tokens.remove(id));
  }

  /**
   * Updates the tokens of a user with the current data from the provider, for example after the user has left a group.
   */
  async refresh(owner: Account): Promise<void> {
    const tokens = await this.deps.storage.committed.tokens.list(owner, maxTokens);
    const stale = tokens.filter(({ account }) => !isSameAccount(account, owner));
    if (stale.length === 0) return;
    await this.deps.storage.write(async (tx) => {
      for (const { tokenHash } of stale) {
        // A token that was deleted concurrently must stay deleted.
        const token = await tx.tokens.find(tokenHash);
        if (token) await tx.tokens.put({ ...token, account: owner });
      }
    });
  }
}
