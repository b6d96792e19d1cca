import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.js';
import { Fault, quoted } from '../kernel/fault.js';
import { type Account, isSameAccount } from './accounts.js';
import type { AuthStorage } from './auth-storage.js';
import type { Right } from './permissions.js';
import { hashOfSecret } from './secret.js';
import type { ApiToken } from './token-store.port.js';

/** Recognised by people and by programs that look for leaked secrets. */
const prefix = 'logbook_';
const maxTokens = 100;
const dayMs = 86_400_000;

export interface TokenRequest {
  readonly name: string;
  readonly rights: readonly Right[];
  readonly days: number;
}

/** Tokens of programs: kept in the storage by their hash alone. */
export class ApiTokens {
  constructor(private readonly deps: { readonly storage: AuthStorage; readonly clock: Clock }) {}

  /**
   * A new token; its secret is stored nowhere.
   * @throws Fault invalid `token.too-many`
   */
  async create(owner: Account, { name, rights, days }: TokenRequest): Promise<{ token: ApiToken; secret: string }> {
    const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
    const nowMs = this.deps.clock.nowMs();
    const token: ApiToken = {
      id: randomBytes(8).toString('hex'),
      tokenHash: hashOfSecret(secret),
      name,
      account: owner,
      rights,
      createdMs: nowMs,
      expiresMs: nowMs + days * dayMs,
    };
    await this.deps.storage.write(async (tx) => {
      const present = await tx.tokens.list(owner.userName, maxTokens + 1);
      for (const { id, expiresMs } of present) if (expiresMs <= nowMs) await tx.tokens.remove(id);
      if (present.filter(({ expiresMs }) => expiresMs > nowMs).length >= maxTokens) {
        throw new Fault(
          'invalid',
          'token.too-many',
          `${quoted(owner.userName)} has ${maxTokens} tokens. Delete one that is not needed any more.`,
        );
      }
      await tx.tokens.put(token);
    });
    return { token, secret };
  }

  /** The token of a secret, if it is still valid. */
  async find(secret: string): Promise<ApiToken | undefined> {
    if (!secret.startsWith(prefix)) return undefined;
    const token = await this.deps.storage.committed.tokens.find(hashOfSecret(secret));
    return token && token.expiresMs > this.deps.clock.nowMs() ? token : undefined;
  }

  /** One that is valid. */
  async findById(id: string): Promise<ApiToken | undefined> {
    const token = await this.deps.storage.committed.tokens.findById(id);
    return token && token.expiresMs > this.deps.clock.nowMs() ? token : undefined;
  }

  /** Those that are valid, of one user or of all, the newest first, at most `limit`. */
  async list(userName: string | undefined, limit: number): Promise<ApiToken[]> {
    const nowMs = this.deps.clock.nowMs();
    const tokens = await this.deps.storage.committed.tokens.list(userName, limit);
    return tokens.filter(({ expiresMs }) => expiresMs > nowMs);
  }

  /** True when removed; false, and no effect, when there was none. */
  async remove(id: string): Promise<boolean> {
    return this.deps.storage.remove((tx) => tx.tokens.remove(id));
  }

  /** What somebody has become since, such as out of a group, holds for their tokens too. */
  async refresh(owner: Account): Promise<void> {
    const tokens = await this.deps.storage.committed.tokens.list(owner.userName, maxTokens);
    const stale = tokens.filter(({ account }) => account.scheme === owner.scheme && !isSameAccount(account, owner));
    if (stale.length === 0) return;
    await this.deps.storage.write(async (tx) => {
      for (const token of stale) {
        // One that was deleted meanwhile stays so.
        if (await tx.tokens.find(token.tokenHash)) await tx.tokens.put({ ...token, account: owner });
      }
    });
  }
}
