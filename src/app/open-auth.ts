import { Accounts } from '../auth/accounts.js';
import { ApiTokens } from '../auth/api-tokens.js';
import { AuditLog } from '../auth/audit-log.js';
import { Authenticator } from '../auth/authenticator.js';
import type { BrowserSignIn } from '../auth/browser-sign-in.port.js';
import { CredentialCache } from '../auth/credential-cache.js';
import { LogbookAccess, type LogbookRule } from '../auth/logbook-access.js';
import { Permissions } from '../auth/permissions.js';
import { Sessions } from '../auth/sessions.js';
import { SignInThrottle } from '../auth/sign-in-throttle.js';
import type { AuthOptions } from '../config/service-options.js';
import type { Storage } from '../engines/storage.port.js';
import type { OidcOptions } from '../integrations/oidc/oidc-options.js';
import type { Clock } from '../kernel/clock.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { foldCase } from '../kernel/text.js';
import type { CleanupStack } from './cleanup-stack.js';
import { openAuthenticationProviders } from './open-authentication-providers.js';

/** How many of the latest sessions the throttle knows the addresses of. */
const trustedSessions = 5_000;

interface AuthDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly jobs: JobRegistry;
}

export type Auth = Awaited<ReturnType<typeof openAuth>>;

/** Opens everything that signs users in, decides what they may do, and records what they did. */
export async function openAuth(options: AuthOptions, { storage, clock, log, jobs }: AuthDeps, cleanup: CleanupStack) {
  const authLog = log.child({ part: 'auth' });
  await warnOfUnknownLogbooks(options.logbookRules, storage, authLog);
  const audit = cleanup.use(
    new AuditLog({ storage, clock, log: log.child({ part: 'audit' }), jobs }, options.auditRetentionMs),
  );
  const sessions = new Sessions(
    { storage, clock },
    { idleMs: options.sessionIdleMs, totalMs: options.sessionMaxAgeMs },
  );
  const tokens = new ApiTokens({ storage, clock });
  const providers = await openAuthenticationProviders(options.providers, log, cleanup);
  const browserSignIn = await openBrowserSignIn(options.oidc, cleanup);
  const providerNames = options.providers.map(({ scheme }) => scheme as string);
  const authenticator = new Authenticator({
    providers,
    sessions,
    tokens,
    throttle: await createThrottle(sessions, clock),
    credentialCache: new CredentialCache(options.credentialCacheMs),
    audit,
    accounts: new Accounts(browserSignIn ? [...providerNames, 'oidc'] : providerNames, options.roleGroups),
  });
  const permissions = new Permissions(options.permissions, new LogbookAccess(options.logbookRules));
  return { permissions, audit, sessions, tokens, authenticator, browserSignIn };
}

/** A misspelt name in the file leaves its logbook open. */
async function warnOfUnknownLogbooks(rules: readonly LogbookRule[], storage: Storage, log: Log): Promise<void> {
  const known = new Set<string>();
  for await (const { name } of storage.committed.catalog.list('logbooks')) known.add(foldCase(name));
  for (const { logbook } of rules) {
    if (!known.has(foldCase(logbook))) log.warn({ logbook }, 'logbookAccessFile: unknown logbook');
  }
}

/** Trusts the addresses of the open sessions: otherwise each restart would throttle their users as unknown clients. */
async function createThrottle(sessions: Sessions, clock: Clock): Promise<SignInThrottle> {
  const throttle = new SignInThrottle(clock);
  for (const { account, from } of await sessions.list(undefined, trustedSessions)) {
    throttle.trust(account.userName, from);
  }
  return throttle;
}

async function openBrowserSignIn(
  options: OidcOptions | undefined,
  cleanup: CleanupStack,
): Promise<BrowserSignIn | undefined> {
  if (!options) return undefined;
  const { OidcSignIn } = await import('../integrations/oidc/oidc-sign-in.js');
  return cleanup.use(new OidcSignIn(options));
}
