import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Fault } from '../kernel/fault.js';
import type { Account, Accounts } from './accounts.js';
import type { ApiTokens } from './api-tokens.js';
import type { AuditLog } from './audit-log.js';
import type { AuditOutcome } from './audit-store.port.js';
import type { AuthenticationProvider, Credentials, Identity } from './authentication-provider.port.js';
import { parseAuthorization } from './authorization-header.js';
import type { CredentialCache } from './credential-cache.js';
import type { Principal } from './principal.js';
import type { Sessions } from './sessions.js';
import { networkPrefix, type SignInThrottle } from './sign-in-throttle.js';

const maxCredentialLength = 1_024;
/**
 * Where a directory was asked, a wrong sign-in is answered no sooner than this: whether it knows the name shows in how
 * long it takes.
 */
const slowestRefusalMs = 300;

/** What a request carries that tells who is asking. */
export interface RequestCredentials {
  readonly authorization: string | undefined;
  /** The value of the session's cookie. */
  readonly sessionSecret: string | undefined;
  /** The address that it comes from. */
  readonly from: string;
}

export interface AuthenticatorDeps {
  /** Tried in this order. */
  readonly providers: readonly AuthenticationProvider[];
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  readonly throttle: SignInThrottle;
  readonly remembered: CredentialCache;
  readonly audit: AuditLog;
}

/** Somebody who has just signed in. */
export interface SignedIn {
  readonly principal: Principal;
  /** Of the new session. */
  readonly secret: string;
}

type Known = { readonly account: Account; readonly token?: Principal['token'] };

type Answer =
  | { readonly kind: 'accepted'; readonly account: Account; readonly isRemote: boolean }
  | { readonly kind: 'refused'; readonly fault: Fault; readonly isRemote: boolean };

/** Tells who is asking, from what a request carries. */
export class Authenticator {
  /** Addresses whose attempts are on record: those of a flood are told once a minute. */
  private readonly told = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

  constructor(private readonly deps: AuthenticatorDeps) {}

  /**
   * The principal of an `Authorization` header or, without one, of a session.
   * @throws Fault unauthenticated when the header is malformed or its credentials are wrong; else as `openSession`
   */
  async identify(evidence: RequestCredentials): Promise<Principal | undefined> {
    return this.principalOf(await this.accountOf(evidence));
  }

  /** As `identify`, but no use of a session: it does not live longer for it. */
  async identifyWithoutRenewal(evidence: RequestCredentials): Promise<Principal | undefined> {
    const { authorization, sessionSecret } = evidence;
    if (authorization !== undefined || sessionSecret === undefined) return this.identify(evidence);
    return this.principalOf(await this.deps.sessions.peek(sessionSecret));
  }

  private principalOf(known: Known | undefined): Principal | undefined {
    const principal = known && this.deps.accounts.principalOf(known.account);
    if (!known || !principal) return undefined;
    return known.token ? { ...principal, token: known.token } : principal;
  }

  /** Whom a session or a password is of; not a token. As `identify`. */
  async identifyAccount(evidence: RequestCredentials): Promise<Account | undefined> {
    return (await this.accountOf(evidence))?.account;
  }

  /**
   * Opens a session for somebody who gave name and password.
   * @throws Fault unauthenticated `auth.bad-credentials`, `auth.account-refused`; busy `auth.throttled`;
   *   unavailable `auth.directory-unavailable`
   */
  async openSession(credentials: Credentials, from: string): Promise<SignedIn> {
    return this.enter(await this.signIn(credentials, from), 'password', from);
  }

  /** Whom a name and a password are of, without a session. As `openSession`. */
  async identifyBy(credentials: Credentials, from: string): Promise<Principal> {
    const principal = this.deps.accounts.principalOf(await this.signIn(credentials, from));
    if (!principal) throw badCredentials();
    return principal;
  }

  /** Opens a session for somebody whom a provider of identities sent. */
  async openSessionOf(identity: Identity, scheme: string, from: string): Promise<SignedIn> {
    const account = { ...identity, scheme };
    await this.refresh(account);
    return this.enter(account, scheme, from);
  }

  /** Somebody came back from a provider of identities without being let in. */
  refusedBy(scheme: string, from: string, code: string): void {
    this.auditOnce('', scheme, from, code);
  }

  /** Ends a session. */
  async leave(secret: string, from: string): Promise<void> {
    const session = await this.deps.sessions.find(secret);
    await this.deps.sessions.close(secret);
    if (!session) return;
    const { userName } = session.account;
    this.deps.audit.record({ userName, action: 'sign-out', target: '', from, outcome: 'done', detail: '' });
  }

  private async enter(account: Account, target: string, from: string): Promise<SignedIn> {
    const principal = this.deps.accounts.principalOf(account);
    if (!principal) throw badCredentials();
    this.audit(account.userName, target, from, 'done', '');
    return { principal, secret: await this.deps.sessions.open(account, from) };
  }

  private async accountOf({ authorization, sessionSecret, from }: RequestCredentials): Promise<Known | undefined> {
    if (authorization === undefined) {
      return sessionSecret === undefined ? undefined : this.deps.sessions.find(sessionSecret);
    }
    const sent = parseAuthorization(authorization);
    if (sent.kind === 'password') return { account: await this.signIn(sent, from) };
    const token = await this.deps.tokens.find(sent.secret);
    if (token && this.deps.accounts.principalOf(token.account)) {
      const { id, name, rights } = token;
      return { account: token.account, token: { id, name, rights } };
    }
    this.auditOnce('', 'token', from, 'auth.bad-token');
    throw new Fault(
      'unauthenticated',
      'auth.bad-token',
      'The token is wrong, was deleted, or its time is over. Make a new one.',
    );
  }

  private async signIn(credentials: Credentials, from: string): Promise<Account> {
    const { userName, password } = credentials;
    if (userName === '' || password === '' || Math.max(userName.length, password.length) > maxCredentialLength) {
      throw badCredentials();
    }
    this.onceToldOfThrottle(userName, from, () => this.deps.throttle.check(userName, from));
    return this.deps.remembered.recall(credentials, networkPrefix(from), () => this.ask(credentials, from));
  }

  /** Asks the schemes. Only what a remote one said is worth remembering. */
  private async ask(credentials: Credentials, from: string): Promise<{ account: Account; worthIt: boolean }> {
    const { userName } = credentials;
    const attempt = this.onceToldOfThrottle(userName, from, () => this.deps.throttle.begin(userName, from));
    const startedMs = performance.now();
    const answer = await this.askInTurn(credentials).catch((error: unknown) => {
      attempt.failed();
      throw error;
    });
    if (answer.kind === 'accepted') {
      attempt.succeeded();
      if (answer.isRemote) await this.refresh(answer.account);
      return { account: answer.account, worthIt: answer.isRemote };
    }
    const { fault } = answer;
    if (fault.kind === 'unavailable') attempt.undecided();
    else attempt.failed();
    const detail = fault.code === 'auth.account-refused' ? `${fault.code}: ${fault.message}` : fault.code;
    this.audit(userName, '', from, fault.kind === 'unavailable' ? 'failed' : 'refused', detail);
    if (answer.isRemote) await sleep(Math.max(0, slowestRefusalMs - (performance.now() - startedMs)));
    throw fault;
  }

  private async askInTurn(credentials: Credentials): Promise<Answer> {
    let problem: Fault | undefined;
    let refused: string | undefined;
    for (const provider of this.deps.providers) {
      const { scheme, isRemote } = provider;
      try {
        const result = await provider.authenticate(credentials);
        if (result.kind === 'accepted') {
          return { kind: 'accepted', account: { ...result.identity, scheme }, isRemote };
        }
        if (result.kind === 'refused') refused ??= result.reason;
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
        problem ??= error;
      }
    }
    const isRemote = this.deps.providers.some((provider) => provider.isRemote);
    return { kind: 'refused', fault: refused ? accountRefused(refused) : (problem ?? badCredentials()), isRemote };
  }

  /** What the directory says of somebody now holds for what is open in their name. */
  private async refresh(account: Account): Promise<void> {
    // Signing in goes on when nothing can be written; the next one tries again.
    await this.deps.tokens.refresh(account).catch(() => undefined);
    await this.deps.sessions.refresh(account).catch(() => undefined);
  }

  private onceToldOfThrottle<T>(userName: string, from: string, check: () => T): T {
    try {
      return check();
    } catch (error) {
      this.auditOnce(userName, '', from, (error as Fault).code);
      throw error;
    }
  }

  private auditOnce(userName: string, target: string, from: string, code: string): void {
    if (this.told.has(`${code} ${from}`)) return;
    this.told.set(`${code} ${from}`, true);
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
