import { Fault } from '../kernel/fault.js';
import type { AccountRechecks } from './account-rechecks.js';
import type { Account, Accounts } from './accounts.js';
import type { ApiTokens } from './api-tokens.js';
import type { Credentials } from './authentication-provider.port.js';
import { parseAuthorization } from './authorization-header.js';
import type { SignedInIdentity } from './browser-sign-in.port.js';
import { badCredentials, type PasswordCheck } from './password-check.js';
import type { Principal } from './principal.js';
import { openToken } from './sealed-token.js';
import { expiryOf, type Sessions } from './sessions.js';
import type { SignInAudit } from './sign-in-audit.js';

/** The part of a request that authenticates its user. */
export interface RequestCredentials {
  readonly authorization: string | undefined;
  /** The value of the session cookie. */
  readonly sessionSecret: string | undefined;
  /** Network address of the client. */
  readonly from: string;
}

export interface AuthenticatorDeps {
  readonly passwords: PasswordCheck;
  readonly rechecks: AccountRechecks;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  readonly audit: SignInAudit;
  /** Updates the stored data of a user with the current data from the provider. Never rejects. */
  readonly refresh: (account: Account) => Promise<void>;
}

/** A user who has just signed in. */
export interface SignedIn {
  readonly principal: Principal;
  /** Secret of the new session. */
  readonly secret: string;
}

/** The account of a request, with the API token that authenticated it, if any. */
interface Authenticated {
  readonly account: Account;
  readonly token?: Principal['token'];
  /** Time at which the session of the request expires, in milliseconds since the epoch. */
  readonly sessionExpiresMs?: number;
}

/** The user of a request, as shown to the user. */
export interface CurrentUser {
  readonly principal: Principal;
  /** End of the session, in milliseconds since the epoch; undefined when no session authenticated the request. */
  readonly sessionExpiresMs: number | undefined;
}

export interface EndedSession {
  readonly account: Account;
  /** Id token of an identity provider; undefined after a sign-in with a password, or if it was too long to store. */
  readonly idToken: string | undefined;
}

/** Authenticates the users of requests, and signs users in and out. */
export class Authenticator {
  constructor(private readonly deps: AuthenticatorDeps) {}

  /**
   * Returns the principal of the `Authorization` header or, without one, of the session, and extends the session.
   * Undefined when there is neither, the session has expired, or its account was closed.
   * @throws Fault unauthenticated `auth.malformed`, `auth.bad-token`, `auth.account-closed`; for a password, the faults
   *   of `signIn`
   */
  async identify({ authorization, sessionSecret, from }: RequestCredentials): Promise<Principal | undefined> {
    if (authorization === undefined) return this.toPrincipal(await this.findSession(sessionSecret, 'extend'));
    const sent = parseAuthorization(authorization);
    if (sent.kind === 'token') return this.toPrincipal(await this.checkToken(sent.secret, from));
    return this.toPrincipal({ account: await this.deps.passwords.check(sent, from) });
  }

  /** Identifies the principal like `identify`, but does not extend the session. */
  async identifyWithoutRenewal(credentials: RequestCredentials): Promise<Principal | undefined> {
    return (await this.findCurrentUser(credentials))?.principal;
  }

  /** Identifies the user like `identifyWithoutRenewal`, and returns the end of the session too. */
  async findCurrentUser(credentials: RequestCredentials): Promise<CurrentUser | undefined> {
    const { authorization, sessionSecret } = credentials;
    const session = authorization === undefined ? await this.findSession(sessionSecret, 'leave') : undefined;
    const principal = authorization === undefined ? this.toPrincipal(session) : await this.identify(credentials);
    return principal && { principal, sessionExpiresMs: session?.sessionExpiresMs };
  }

  /**
   * Returns the account of a request whose result, such as a token, outlives the request. The provider therefore always
   * checks a password. The provider of a session may no longer be configured.
   * @throws Fault as `identify`
   */
  async identifyAccount({ authorization, sessionSecret, from }: RequestCredentials): Promise<Account | undefined> {
    if (authorization === undefined) return (await this.findSession(sessionSecret, 'extend'))?.account;
    const sent = parseAuthorization(authorization);
    if (sent.kind === 'token') return (await this.checkToken(sent.secret, from)).account;
    return this.deps.passwords.checkNow(sent, from);
  }

  /**
   * Checks a user name and a password with the provider, and opens a session.
   * @throws Fault unauthenticated `auth.bad-credentials`, `auth.account-refused`; busy `auth.throttled`,
   *   `auth.queue-full`; unavailable `auth.directory-unavailable`
   */
  async signIn(credentials: Credentials, from: string): Promise<SignedIn> {
    return this.openSession(await this.deps.passwords.checkNow(credentials, from), 'password', from);
  }

  /** Identifies a user like `signIn`, but opens no session. */
  async identifyByPassword(credentials: Credentials, from: string): Promise<Principal> {
    const principal = this.deps.accounts.toPrincipal(await this.deps.passwords.checkNow(credentials, from));
    if (!principal) throw badCredentials();
    return principal;
  }

  /**
   * Opens a session for a user whom an identity provider has authenticated.
   * @throws Fault unauthenticated `auth.bad-credentials` when no provider of this name is configured
   */
  async signInWithIdentity({ identity, idToken }: SignedInIdentity, provider: string, from: string): Promise<SignedIn> {
    const account = { ...identity, scheme: provider };
    await this.deps.refresh(account);
    return this.openSession(account, provider, from, idToken);
  }

  /**
   * Returns the account of a user whom an identity provider has authenticated for a program, which gets no session.
   * @throws Fault as `signInWithIdentity`
   */
  async acceptIdentity({ identity }: SignedInIdentity, provider: string, from: string): Promise<Account> {
    const account = { ...identity, scheme: provider };
    await this.deps.refresh(account);
    this.accept(account, provider, from);
    return account;
  }

  /**
   * Returns the user as the provider described them within the last recheck interval. Undefined when the account is
   * closed, or its provider is no longer configured.
   */
  async recheck(principal: Principal): Promise<Principal | undefined> {
    const account = await this.deps.rechecks.findCurrent(principal);
    return account && this.toPrincipal({ account });
  }

  /** Records a failed sign-in at an identity provider. */
  auditRefusal(provider: string, from: string, code: string): void {
    this.deps.audit.recordRejection(code, { userName: '', target: provider, from });
  }

  /**
   * Ends the session with this secret, and returns it. Returns undefined if there is none.
   * @throws Fault full `session.not-ended`
   */
  async signOut(secret: string, from: string): Promise<EndedSession | undefined> {
    const session = await this.deps.sessions.find(secret);
    await this.deps.sessions.close(secret);
    if (session) this.deps.audit.recordSignOut(session.account.userName, from);
    if (!session) return undefined;
    const { account, sealedIdToken } = session;
    return { account, idToken: sealedIdToken === undefined ? undefined : openToken(sealedIdToken, secret) };
  }

  /**
   * Deletes the token of an `Authorization` header.
   * @throws Fault unauthenticated `auth.malformed`, `auth.bad-token`; full
   */
  async endToken(authorization: string, from: string): Promise<void> {
    const sent = parseAuthorization(authorization);
    const token = sent.kind === 'token' ? await this.deps.tokens.find(sent.secret) : undefined;
    if (!token || !(await this.deps.tokens.remove(token.id))) throw this.badToken(from);
    this.deps.audit.recordSignOut(token.account.userName, from);
  }

  private toPrincipal(authenticated: Authenticated | undefined): Principal | undefined {
    const principal = authenticated && this.deps.accounts.toPrincipal(authenticated.account);
    if (!authenticated || !principal) return undefined;
    return authenticated.token ? { ...principal, token: authenticated.token } : principal;
  }

  private async openSession(account: Account, target: string, from: string, idToken?: string): Promise<SignedIn> {
    const principal = this.accept(account, target, from);
    return { principal, secret: await this.deps.sessions.open(account, from, idToken) };
  }

  /** Records a sign-in. */
  private accept(account: Account, target: string, from: string): Principal {
    const principal = this.deps.accounts.toPrincipal(account);
    if (!principal) throw badCredentials();
    this.deps.audit.record({ userName: account.userName, target, from, outcome: 'done', detail: '' });
    return principal;
  }

  private async findSession(
    secret: string | undefined,
    idleTime: 'extend' | 'leave',
  ): Promise<Authenticated | undefined> {
    const session = secret === undefined ? undefined : await this.deps.sessions.find(secret);
    const account = session && (await this.deps.rechecks.findCurrent(session.account));
    if (!session || !account) return undefined;
    if (idleTime === 'extend') await this.deps.sessions.touch(session);
    return { account, sessionExpiresMs: expiryOf(session) };
  }

  /** Records a rejected token and returns its fault. */
  private badToken(from: string): Fault {
    this.deps.audit.recordRejection('auth.bad-token', { userName: '', target: 'token', from });
    const message = 'The token is wrong, has been deleted or has expired. Create a new one.';
    return new Fault('unauthenticated', 'auth.bad-token', message);
  }

  private async checkToken(secret: string, from: string): Promise<Authenticated> {
    const token = await this.deps.tokens.find(secret);
    if (!token || !this.deps.accounts.toPrincipal(token.account)) throw this.badToken(from);
    const account = await this.deps.rechecks.findCurrent(token.account);
    if (!account) {
      const { userName } = token.account;
      this.deps.audit.recordRejection('auth.account-closed', { userName, target: `token ${token.id}`, from });
      throw new Fault(
        'unauthenticated',
        'auth.account-closed',
        'The account of this token is closed in its user directory. Ask your administrator to open it.',
      );
    }
    const { id, name, rights, isAutomatic } = token;
    return { account, token: { id, name, rights, isAutomatic } };
  }
}
