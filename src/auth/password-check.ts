import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../kernel/fault.js';
import { networkPrefix } from '../kernel/network-prefix.js';
import type { Account } from './accounts.js';
import type { AuthenticationProvider, AuthenticationResult, Credentials } from './authentication-provider.port.js';
import type { CredentialCache } from './credential-cache.js';
import type { SignInAudit } from './sign-in-audit.js';
import type { QueueOf } from './sign-in-queue.js';
import type { Attempt, SignInThrottle } from './sign-in-throttle.js';

const maxCredentialLength = 1_024;
/**
 * Minimum duration of a rejection by a remote provider: otherwise the response time would reveal whether the directory
 * knows the user name.
 */
const minRejectionMs = 300;

export interface PasswordCheckDeps {
  /** Providers in the order in which they are tried. */
  readonly providers: readonly AuthenticationProvider[];
  readonly throttle: SignInThrottle;
  readonly queueOf: QueueOf;
  readonly cache: CredentialCache;
  readonly audit: SignInAudit;
  /** Called with the data from a remote provider about a user who has signed in. Never rejects. */
  readonly onAccepted: (account: Account) => Promise<void>;
}

type ProviderResult =
  | { readonly kind: 'accepted'; readonly account: Account; readonly isRemote: boolean }
  | { readonly kind: 'rejected'; readonly fault: Fault };

/** Checks user names and passwords with the authentication providers. */
export class PasswordCheck {
  constructor(private readonly deps: PasswordCheckDeps) {}

  /**
   * Returns the account of the credentials. Does not query a directory about credentials that it has accepted recently.
   * @throws Fault unauthenticated `auth.bad-credentials`, `auth.account-refused`; busy `auth.throttled`,
   *   `auth.queue-full`; unavailable `auth.directory-unavailable`
   */
  async check(credentials: Credentials, from: string): Promise<Account> {
    checkLength(credentials);
    const { cache } = this.deps;
    const account = await cache.getOrCheck(credentials, networkPrefix(from), () => this.query(credentials, from));
    await this.checkRemembered(account, credentials, from);
    return account;
  }

  /**
   * Checks like `check`, but always queries the providers. To be used for sessions and other results that outlive a
   * single request.
   */
  async checkNow(credentials: Credentials, from: string): Promise<Account> {
    checkLength(credentials);
    return this.deps.cache.checkAgain(credentials, networkPrefix(from), () => this.query(credentials, from));
  }

  /**
   * Applies the throttle to cached credentials: the cache must not confirm a right password to a client that guesses.
   */
  private async checkRemembered(account: Account, { userName }: Credentials, from: string): Promise<void> {
    const provider = this.deps.providers.find(({ name }) => name === account.scheme);
    if (!provider) return;
    try {
      await this.deps.throttle.check(provider, userName, from);
    } catch (error) {
      this.auditThrottled(userName, from, error);
      throw error;
    }
  }

  private async query(credentials: Credentials, from: string): Promise<Account> {
    const startedMs = performance.now();
    const result = await this.tryProviders(credentials, from);
    if (result.kind === 'accepted') {
      const { account, isRemote } = result;
      if (isRemote) await this.deps.onAccepted(account);
      return account;
    }
    const { fault } = result;
    this.auditFailure(credentials.userName, from, fault);
    const isRemote = this.deps.providers.some((provider) => provider.isRemote);
    if (isRemote && fault.kind !== 'busy') await sleep(Math.max(0, minRejectionMs - (performance.now() - startedMs)));
    throw fault;
  }

  /** Tries the providers in order. Of several reasons for a rejection, returns the one that helps the user most. */
  private async tryProviders(credentials: Credentials, from: string): Promise<ProviderResult> {
    const faults: Fault[] = [];
    for (const provider of this.deps.providers) {
      try {
        const result = await this.tryProvider(provider, credentials, from);
        if (result.kind === 'accepted') {
          const { name: scheme, isRemote } = provider;
          return { kind: 'accepted', account: { ...result.identity, scheme }, isRemote };
        }
        if (result.kind === 'refused') faults.push(accountRefused(result.reason));
      } catch (error) {
        if (!(error instanceof Fault) || (error.kind !== 'unavailable' && error.kind !== 'busy')) throw error;
        faults.push(error);
      }
    }
    const ofKind = (kind: Fault['kind']) => faults.find((fault) => fault.kind === kind);
    const fault = ofKind('unauthenticated') ?? ofKind('unavailable') ?? ofKind('busy') ?? badCredentials();
    return { kind: 'rejected', fault };
  }

  /** @throws Fault unavailable `auth.directory-unavailable`; busy `auth.throttled`, `auth.queue-full` */
  private tryProvider(
    provider: AuthenticationProvider,
    credentials: Credentials,
    from: string,
  ): Promise<AuthenticationResult> {
    const { throttle, queueOf } = this.deps;
    const { userName } = credentials;
    const authenticate = async (attempt: Attempt) => {
      const result = await provider.authenticate(credentials).catch(async (error: unknown) => {
        await attempt.end('undecided');
        throw error;
      });
      if (result.kind === 'accepted') await attempt.end('succeeded', result.identity.userName);
      else await attempt.end('failed');
      return result;
    };
    const tryBegin = () => throttle.tryBegin(provider, userName, from);
    return queueOf(provider).run(networkPrefix(from), tryBegin, authenticate);
  }

  private auditFailure(userName: string, from: string, fault: Fault): void {
    if (fault.kind === 'busy') {
      this.auditThrottled(userName, from, fault);
      return;
    }
    const detail = fault.code === 'auth.account-refused' ? `${fault.code}: ${fault.message}` : fault.code;
    const outcome = fault.kind === 'unavailable' ? 'failed' : 'refused';
    this.deps.audit.record({ userName, target: '', from, outcome, detail });
  }

  private auditThrottled(userName: string, from: string, error: unknown): void {
    this.deps.audit.recordRejection((error as Fault).code, { userName, target: '', from });
  }
}

/** @throws Fault unauthenticated `auth.bad-credentials` for credentials that no user can have */
function checkLength({ userName, password }: Credentials): void {
  const longest = userName !== '' && password !== '' && Math.max(userName.length, password.length);
  if (!longest || longest > maxCredentialLength) throw badCredentials();
}

export function badCredentials(): Fault {
  return new Fault('unauthenticated', 'auth.bad-credentials', 'The user name or the password is wrong.');
}

function accountRefused(reason: string): Fault {
  return new Fault('unauthenticated', 'auth.account-refused', reason);
}
