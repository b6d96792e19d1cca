import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Fault } from '../kernel/fault.js';
import { networkPrefix } from '../kernel/network-prefix.js';
import type { Account, Accounts } from './accounts.js';
import type { ApiTokens } from './api-tokens.js';
import type { AuditLog } from './audit-log.js';
import type { AuditOutcome } from './audit-store.port.js';
import type { AuthenticationProvider, Credentials, Identity } from './authentication-provider.port.js';
import { parseAuthorization } from './authorization-header.js';
import type { CredentialCache } from './credential-cache.js';
import type { Principal } from './principal.js';
import type { Sessions } from './sessions.js';
import type { SignInThrottle } from './sign-in-throttle.js';

const maxCredentialLength = 1_024;
/**
 * After a remote provider was queried, a rejection takes at least this long: otherwise the response time would reveal
 * whether the directory knows the user name.
 */
const minRejectionMs = 300;
/** Repeated rejections from one address are audited once in this time. */
const auditIntervalMs = 60_000;

/** The part of a request that authenticates its user. */
export interface RequestCredentials {
  readonly authorization: string | undefined;
  /** The value of the session cookie. */
  readonly sessionSecret: string | undefined;
  /** Network address of the client. */
  readonly from: string;
}

export interface AuthenticatorDeps {
  /** Tried in this order. */
  readonly providers: readonly AuthenticationProvider[];
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  readonly throttle: SignInThrottle;
  readonly credentialCache: CredentialCache;
  readonly audit: AuditLog;
}

/** A user who has just signed in. */
export interface SignedIn {
  readonly principal: Principal;
  /** Secret of the new session. */
  readonly secret: string;
}

/** The account of a request, with the API token that authenticated it, if one did. */
interface Authenticated {
  readonly account: Account;
  readonly token?: Principal['token'];
}

type ProvidersResult =
  | { readonly kind: 'accepted'; readonly account: Account; readonly isRemote: boolean }
  | { readonly kind: 'rejected'; readonly fault: Fault; readonly isRemote: boolean };

/** Authenticates the users of requests, and signs users in and out. */
export class Authenticator {
  /** Code and address of recently audited rejections, so that a flood of them does not fill the audit log. */
  private readonly recentlyAudited = new LRUCache<string, true>({ max: 10_000, ttl: auditIntervalMs });

  constructor(private readonly deps: AuthenticatorDeps) {}

  /**
   * Returns the principal of the `Authorization` header or, without one, of the session, and extends the session.
   * Undefined when there is neither, or the session has expired.
   * @throws Fault unauthenticated `auth.malformed`, `auth.bad-token`; for a password, the faults of `signIn`
   */
  async identify(credentials: RequestCredentials): Promise<Principal | undefined> {
    return this.toPrincipal(await this.authenticate(credentials));
  }

  /** As `identify`, but does not extend the session. */
  async identifyWithoutRenewal(credentials: RequestCredentials): Promise<Principal | undefined> {
    const { authorization, sessionSecret } = credentials;
    if (authorization !== undefined || sessionSecret === undefined) return this.identify(credentials);
    return this.toPrincipal(await this.deps.sessions.find(sessionSecret));
  }

  private toPrincipal(authenticated: Authenticated | undefined): Principal | undefined {
    const principal = authenticated && this.deps.accounts.toPrincipal(authenticated.account);
    if (!authenticated || !principal) return undefined;
    return authenticated.token ? { ...principal, token: authenticated.token } : principal;
  }

  /** As `identify`, but returns the account, also of a provider that is no longer configured. */
  async identifyAccount(credentials: RequestCredentials): Promise<Account | undefined> {
    return (await this.authenticate(credentials))?.account;
  }

  /**
   * Checks a user name and a password, and opens a session.
   * @throws Fault unauthenticated `auth.bad-credentials`, `auth.account-refused`; busy `auth.throttled`;
   *   unavailable `auth.directory-unavailable`
   */
  async signIn(credentials: Credentials, from: string): Promise<SignedIn> {
    return this.openSession(await this.checkPassword(credentials, from), 'password', from);
  }

  /** As `signIn`, but opens no session. */
  async identifyByPassword(credentials: Credentials, from: string): Promise<Principal> {
    const principal = this.deps.accounts.toPrincipal(await this.checkPassword(credentials, from));
    if (!principal) throw badCredentials();
    return principal;
  }

  /**
   * Opens a session for a user whom an identity provider has authenticated.
   * @throws Fault unauthenticated `auth.bad-credentials` when no provider of this name is configured
   */
  async signInWithIdentity(identity: Identity, provider: string, from: string): Promise<SignedIn> {
    const account = { ...identity, scheme: provider };
    await this.refresh(account);
    return this.openSession(account, provider, from);
  }

  /** Records a failed sign-in at an identity provider. */
  auditRefusal(provider: string, from: string, code: string): void {
    this.auditRateLimited('', provider, from, code);
  }

  /** Ends the session with this secret; no effect when there is none. @throws Fault full `session.not-ended` */
  async signOut(secret: string, from: string): Promise<void> {
    const session = await this.deps.sessions.find(secret);
    await this.deps.sessions.close(secret);
    if (!session) return;
    const { userName } = session.account;
    this.deps.audit.record({ userName, action: 'sign-out', target: '', from, outcome: 'done', detail: '' });
  }

  private async openSession(account: Account, target: string, from: string): Promise<SignedIn> {
    const principal = this.deps.accounts.toPrincipal(account);
    if (!principal) throw badCredentials();
    this.audit(account.userName, target, from, 'done', '');
    return { principal, secret: await this.deps.sessions.open(account, from) };
  }

  private async authenticate(credentials: RequestCredentials): Promise<Authenticated | undefined> {
    const { authorization, sessionSecret, from } = credentials;
    if (authorization === undefined) return sessionSecret === undefined ? undefined : this.useSession(sessionSecret);
    const sent = parseAuthorization(authorization);
    return sent.kind === 'password'
      ? { account: await this.checkPassword(sent, from) }
      : this.checkToken(sent.secret, from);
  }

  private async useSession(secret: string): Promise<Authenticated | undefined> {
    const session = await this.deps.sessions.find(secret);
    if (session) await this.deps.sessions.touch(session);
    return session;
  }

  private async checkToken(secret: string, from: string): Promise<Authenticated> {
    const token = await this.deps.tokens.find(secret);
    if (token && this.deps.accounts.toPrincipal(token.account)) {
      const { id, name, rights } = token;
      return { account: token.account, token: { id, name, rights } };
    }
    this.auditRateLimited('', 'token', from, 'auth.bad-token');
    throw new Fault(
      'unauthenticated',
      'auth.bad-token',
      'The token is wrong, has been deleted or has expired. Create a new one.',
    );
  }

  private async checkPassword(credentials: Credentials, from: string): Promise<Account> {
    const { userName, password } = credentials;
    if (userName === '' || password === '' || Math.max(userName.length, password.length) > maxCredentialLength) {
      throw badCredentials();
    }
    // Also before the cache: a client that guesses passwords must not learn that one is right.
    this.auditThrottled(userName, from, () => this.deps.throttle.check(userName, from));
    return this.deps.credentialCache.getOrCheck(credentials, networkPrefix(from), () =>
      this.queryProviders(credentials, from),
    );
  }

  private async queryProviders(
    credentials: Credentials,
    from: string,
  ): Promise<{ account: Account; isCacheable: boolean }> {
    const { userName } = credentials;
    const attempt = this.auditThrottled(userName, from, () => this.deps.throttle.begin(userName, from));
    const startedMs = performance.now();
    const result = await this.tryProviders(credentials).catch((error: unknown) => {
      attempt.failed();
      throw error;
    });
    if (result.kind === 'accepted') {
      attempt.succeeded();
      if (result.isRemote) await this.refresh(result.account);
      return { account: result.account, isCacheable: result.isRemote };
    }
    const { fault } = result;
    if (fault.kind === 'unavailable') attempt.undecided();
    else attempt.failed();
    const detail = fault.code === 'auth.account-refused' ? `${fault.code}: ${fault.message}` : fault.code;
    this.audit(userName, '', from, fault.kind === 'unavailable' ? 'failed' : 'refused', detail);
    if (result.isRemote) await sleep(Math.max(0, minRejectionMs - (performance.now() - startedMs)));
    throw fault;
  }

  /** Tries the providers in turn. Of several problems, a refused account is reported before an unavailable provider. */
  private async tryProviders(credentials: Credentials): Promise<ProvidersResult> {
    let unavailable: Fault | undefined;
    let refusal: string | undefined;
    for (const provider of this.deps.providers) {
      const { name, isRemote } = provider;
      try {
        const result = await provider.authenticate(credentials);
        if (result.kind === 'accepted') {
          return { kind: 'accepted', account: { ...result.identity, scheme: name }, isRemote };
        }
        if (result.kind === 'refused') refusal ??= result.reason;
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
        unavailable ??= error;
      }
    }
    const isRemote = this.deps.providers.some((provider) => provider.isRemote);
    const fault = refusal ? accountRefused(refusal) : (unavailable ?? badCredentials());
    return { kind: 'rejected', fault, isRemote };
  }

  /** Applies what the provider now says of the user to the user's sessions and tokens. */
  private async refresh(account: Account): Promise<void> {
    // Without storage, users can still authenticate; the next sign-in tries again.
    await this.deps.tokens.refresh(account).catch(() => undefined);
    await this.deps.sessions.refresh(account).catch(() => undefined);
  }

  private auditThrottled<T>(userName: string, from: string, check: () => T): T {
    try {
      return check();
    } catch (error) {
      this.auditRateLimited(userName, '', from, (error as Fault).code);
      throw error;
    }
  }

  private auditRateLimited(userName: string, target: string, from: string, code: string): void {
    if (this.recentlyAudited.has(`${code} ${from}`)) return;
    this.recentlyAudited.set(`${code} ${from}`, true);
    this.audit(userName, target, from, 'refused', code);
  }

  private audit(userName: string, target: string, from: string, outcome: AuditOutcome, detail: string): void {
    this.deps.audit.record({ userName, action: 'sign-in', target, from, outcome, detail });
  }
}

function badCredentials(): Fault {
  return new Fault('unauthenticated', 'auth.bad-credentials', 'The user name or the password is wrong.');
}

function accountRefused(reason: string): Fault {
  return new Fault('unauthenticated', 'auth.account-refused', reason);
}
