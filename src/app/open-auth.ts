import { AccountRechecks } from '../auth/account-rechecks.js';
import { type Account, Accounts } from '../auth/accounts.js';
import { ApiTokens } from '../auth/api-tokens.js';
import { AuditLog } from '../auth/audit-log.js';
import type { AuthenticationProvider } from '../auth/authentication-provider.port.js';
import { Authenticator } from '../auth/authenticator.js';
import { CredentialCache } from '../auth/credential-cache.js';
import { DeviceSignIns } from '../auth/device-sign-ins.js';
import { LogbookAccess, type LogbookRule } from '../auth/logbook-access.js';
import { PasswordCheck } from '../auth/password-check.js';
import { Permissions } from '../auth/permissions.js';
import { Sessions } from '../auth/sessions.js';
import { SignInAudit } from '../auth/sign-in-audit.js';
import { openSignInQueues } from '../auth/sign-in-queue.js';
import type { SignInState } from '../auth/sign-in-state.port.js';
import { type FailureLimit, SignInThrottle } from '../auth/sign-in-throttle.js';
import type { AuthOptions } from '../config/service-options.js';
import type { Storage } from '../engines/storage.port.js';
import type { OidcOptions } from '../integrations/oidc/oidc-options.js';
import type { OidcSignIn } from '../integrations/oidc/oidc-sign-in.js';
import { type Clock, monotonicClock } from '../kernel/clock.js';
import { ClockWatch } from '../kernel/clock-watch.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { foldCase } from '../kernel/text.js';
import { refreshWatcher } from '../notifications/inbox/edit-watches.js';
import type { CleanupStack } from './cleanup-stack.js';
import { openAuthenticationProviders } from './open-authentication-providers.js';

/** Number of the latest sessions whose addresses the throttle trusts. */
const trustedSessions = 5_000;

interface AuthDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly jobs: JobRegistry;
}

interface CheckDeps {
  readonly providers: readonly AuthenticationProvider[];
  readonly sessions: Sessions;
  readonly audit: SignInAudit;
  readonly refresh: (account: Account) => Promise<void>;
  readonly storage: Pick<Storage, 'signInState'>;
}

export type Auth = Awaited<ReturnType<typeof openAuth>>;

/** Opens the parts that sign users in, decide what they may do, and record what they did. */
export async function openAuth(options: AuthOptions, { storage, clock, log, jobs }: AuthDeps, cleanup: CleanupStack) {
  const authLog = log.child({ part: 'auth' });
  await warnOfUnknownLogbooks(options.logbookRules, storage, authLog);
  const [newestRecord] = await storage.committed.audit.list({}, 1);
  const clockWatch = cleanup.use(
    await ClockWatch.start(
      { clock, monotonic: monotonicClock, storage, log: log.child({ part: 'clock' }), jobs },
      { newestRecordMs: newestRecord?.atMs, isAlwaysTrusted: options.trustSystemClock },
    ),
  );
  const audit = cleanup.use(
    new AuditLog({ storage, clock, clockWatch, log: log.child({ part: 'audit' }), jobs }, options.auditRetentionMs),
  );
  const sessions = new Sessions(
    { storage, clock, clockWatch },
    { idleMs: options.sessionIdleMs, totalMs: options.sessionMaxAgeMs },
  );
  const tokens = new ApiTokens({ storage, clock, clockWatch });
  const providers = await openAuthenticationProviders(options.providers, log, cleanup);
  const browserSignIn = await openBrowserSignIn(options.oidc, log, cleanup);
  const schemes = [...providers.map(({ name }) => name), ...(browserSignIn ? ['oidc'] : [])];
  const signInAudit = new SignInAudit(audit);
  const refresh = async (account: Account) => {
    // Users can authenticate even if the storage fails. The next sign-in or recheck retries.
    await tokens.refresh(account).catch(() => undefined);
    await sessions.refresh(account).catch(() => undefined);
    await refreshWatcher(storage, account).catch(() => undefined);
  };
  const authenticator = new Authenticator({
    sessions,
    tokens,
    audit: signInAudit,
    refresh,
    accounts: new Accounts(schemes, options.roleGroups),
    ...(await createChecks(options, { providers, sessions, refresh, audit: signInAudit, storage })),
  });
  const permissions = new Permissions(options.permissions, new LogbookAccess(options.logbookRules));
  const deviceSignIns = new DeviceSignIns({
    ...{ provider: browserSignIn, authenticator, tokens, clock, counts: storage.signInState.failures },
    secret: () => storage.committed.feed.secret(),
  });
  return { permissions, clockWatch, audit, sessions, tokens, authenticator, browserSignIn, deviceSignIns };
}

/** Logs a warning for unknown names, because a misspelled name in the file leaves its logbook unrestricted. */
async function warnOfUnknownLogbooks(rules: readonly LogbookRule[], storage: Storage, log: Log): Promise<void> {
  const known = new Set<string>();
  for await (const { name } of storage.committed.catalog.list('logbooks')) known.add(foldCase(name));
  for (const { logbook } of rules) {
    if (!known.has(foldCase(logbook))) log.warn({ logbook }, 'logbookAccessFile: unknown logbook');
  }
}

/** Creates the checks of passwords and of the state of accounts, which ask the authentication providers. */
async function createChecks(
  options: AuthOptions,
  { providers, sessions, refresh, audit, storage }: CheckDeps,
): Promise<{ readonly passwords: PasswordCheck; readonly rechecks: AccountRechecks }> {
  const queueOf = openSignInQueues();
  const cache = new CredentialCache(options.credentialCacheMs);
  const rechecks = new AccountRechecks(
    {
      providers,
      queueOf,
      clock: monotonicClock,
      onOpen: refresh,
      onClosed: async (account) => {
        cache.forget(account);
        await sessions.endAll(account).catch(() => undefined);
      },
    },
    options.accountRecheckMs,
  );
  const passwords = new PasswordCheck({
    providers,
    queueOf,
    cache,
    audit,
    throttle: await createThrottle(storage.signInState, sessions, options.newAddressLimit),
    onAccepted: async (account) => {
      rechecks.noteAccepted(account);
      await refresh(account);
    },
  });
  return { passwords, rechecks };
}

/** Trusts the addresses of the open sessions. Otherwise, each restart would throttle their users as unknown clients. */
async function createThrottle(
  { failures }: SignInState,
  sessions: Sessions,
  newAddressLimit: FailureLimit,
): Promise<SignInThrottle> {
  const throttle = new SignInThrottle(failures, newAddressLimit);
  const open = await sessions.list(undefined, trustedSessions);
  await throttle.trust(open.map(({ account: { scheme, userName }, from }) => ({ scheme, userName, from })));
  return throttle;
}

async function openBrowserSignIn(
  options: OidcOptions | undefined,
  log: Log,
  cleanup: CleanupStack,
): Promise<OidcSignIn | undefined> {
  if (!options) return undefined;
  const { OidcSignIn } = await import('../integrations/oidc/oidc-sign-in.js');
  return cleanup.use(new OidcSignIn(options, log.child({ part: 'oidc' })));
}
