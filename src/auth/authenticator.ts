import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Fault } from '../kernel/fault.js';
import type { ApiTokens } from './api-tokens.js';
import type { AuditLog } from './audit-log.js';
import type { AuditOutcome } from './audit-store.port.js';
import { parseAuthorization } from './authorization-header.js';
import type { Principal, Role } from './principal.js';
import type { AuthenticationProvider, Credentials, Identity } from './provider.port.js';
import type { RememberedSignIns } from './remembered-sign-ins.js';
import type { Sessions } from './sessions.js';
import type { Attempt, SignInThrottle } from './sign-in-throttle.js';

const maxCredentialLength = 1_024;
/**
 * Where a directory was asked, a wrong sign-in is answered no sooner than this: whether it knows the name shows in how
 * long it takes.
 */
const slowestRefusalMs = 300;

/** What a request carries that tells who is asking. */
export interface Evidence {
  readonly authorization: string | undefined;
  /** The value of the session's cookie. */
  readonly sessionSecret: string | undefined;
  /** The address that it comes from. */
  readonly from: string;
}

export interface AuthenticatorDeps {
  /** Tried in this order. */
  readonly providers: readonly AuthenticationProvider[];
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  readonly throttle: SignInThrottle;
  readonly remembered: RememberedSignIns;
  readonly audit: AuditLog;
  /** The roles that groups of the directory give. */
  readonly rolesOf: (groups: readonly string[]) => readonly Role[];
}

/** Tells who is asking, from what a request carries. */
export class Authenticator {
  /** Addresses whose attempts are on record: those of a flood are told once a minute. */
  private readonly told = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

  constructor(private readonly deps: AuthenticatorDeps) {}

  /**
   * The principal of an `Authorization` header or, without one, of a session.
   * @throws Fault unauthenticated when the header is malformed or its credentials are wrong; else as `signIn`
   */
  async identify({ authorization, sessionSecret, from }: Evidence): Promise<Principal | undefined> {
    if (authorization === undefined) {
      return sessionSecret === undefined ? undefined : (await this.deps.sessions.find(sessionSecret))?.principal;
    }
    const sent = parseAuthorization(authorization);
    if (sent.kind === 'password') return this.signIn(sent, from);
    const principal = await this.deps.tokens.find(sent.secret);
    if (principal) return principal;
    this.auditOnce('', 'token', from, 'auth.bad-token');
    throw new Fault(
      'unauthenticated',
      'auth.bad-token',
      'The token is wrong, was deleted, or its time is over. Make a new one.',
    );
  }

  /** Opens a session for somebody who gave name and password; resolves to its secret. */
  async openSession(credentials: Credentials, from: string): Promise<{ principal: Principal; secret: string }> {
    const principal = await this.signIn(credentials, from);
    this.audit(principal.userName, 'password', from, 'done', '');
    return this.openSessionFor(principal, from);
  }

  /** Opens a session for somebody whom a provider of identities sent. */
  async openSessionOf(
    identity: Identity,
    scheme: string,
    from: string,
  ): Promise<{ principal: Principal; secret: string }> {
    const principal = this.principalOf(identity);
    this.audit(principal.userName, scheme, from, 'done', '');
    return this.openSessionFor(principal, from);
  }

  /**
   * @throws Fault unauthenticated `auth.bad-credentials`, `auth.account-refused`; busy `auth.throttled`;
   *   unavailable `auth.directory-unavailable`
   */
  async signIn(credentials: Credentials, from: string): Promise<Principal> {
    const { userName, password } = credentials;
    if (userName === '' || password === '' || Math.max(userName.length, password.length) > maxCredentialLength) {
      throw badCredentials();
    }
    return this.deps.remembered.recall(credentials, () => this.ask(credentials, from));
  }

  /** Asks the schemes. Only what a remote one said is worth remembering. */
  private async ask(credentials: Credentials, from: string): Promise<{ principal: Principal; worthIt: boolean }> {
    const { userName } = credentials;
    let attempt: Attempt;
    try {
      attempt = this.deps.throttle.begin(userName, from);
    } catch (error) {
      this.auditOnce(userName, '', from, (error as Fault).code);
      throw error;
    }
    const startedMs = performance.now();
    const problems: Fault[] = [];
    let refused: string | undefined;
    let askedDirectory = false;
    for (const provider of this.deps.providers) {
      try {
        const result = await provider.authenticate(credentials);
        if (result.kind === 'accepted') {
          attempt.succeeded();
          const principal = this.principalOf(result.identity);
          if (provider.isRemote) await this.deps.tokens.refresh(principal).catch(() => undefined);
          return { principal, worthIt: provider.isRemote };
        }
        if (result.kind === 'refused') refused ??= result.reason;
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'unavailable') throw error;
        problems.push(error);
      }
      askedDirectory ||= provider.isRemote;
    }
    const fault = refused === undefined ? (problems[0] ?? badCredentials()) : accountRefused(refused);
    if (fault.kind === 'unavailable') attempt.undecided();
    const detail = refused === undefined ? fault.code : `${fault.code}: ${refused}`;
    this.audit(userName, '', from, fault.kind === 'unavailable' ? 'failed' : 'refused', detail);
    if (askedDirectory) await sleep(Math.max(0, slowestRefusalMs - (performance.now() - startedMs)));
    throw fault;
  }

  private principalOf({ userName, groups, roles }: Identity): Principal {
    const given = [...roles, ...this.deps.rolesOf(groups)];
    return { userName, groups, roles: [...new Set<Role>(given.includes('ADMIN') ? given : [...given, 'USER'])] };
  }

  private async openSessionFor(principal: Principal, from: string): Promise<{ principal: Principal; secret: string }> {
    return { principal, secret: await this.deps.sessions.open(principal, from) };
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
