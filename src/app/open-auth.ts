import { Accounts } from '../auth/accounts.js';
import { ApiTokens } from '../auth/api-tokens.js';
import { AuditLog } from '../auth/audit-log.js';
import { Authenticator } from '../auth/authenticator.js';
import type { BrowserSignIn } from '../auth/browser-sign-in.port.js';
import { CredentialCache } from '../auth/credential-cache.js';
import { LogbookAccess } from '../auth/logbook-access.js';
import { Permissions } from '../auth/permissions.js';
import { Sessions } from '../auth/sessions.js';
import { SignInThrottle } from '../auth/sign-in-throttle.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { Config } from '../config/settings.js';
import type { Storage } from '../engines/storage.port.js';
import type { BackgroundJobs } from '../kernel/background-jobs.js';
import type { Clock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import { foldCase } from '../kernel/text.js';
import type { CleanupStack } from './cleanup-stack.js';
import { openAuthenticationProviders } from './open-authentication-providers.js';

const trustedAtStart = 5_000;
const oidcTimeoutMs = 10_000;

/** Who signs in, and what they may do: from the configuration, with all that this needs running. */
export async function openAuth(
  { config, schemes }: Pick<LoadedConfig, 'config' | 'schemes'>,
  { storage, clock, log, jobs }: { storage: Storage; clock: Clock; log: Log; jobs: BackgroundJobs },
  cleanup: CleanupStack,
) {
  await warnOfUnknownLogbooks(config, storage, log);
  const permissions = new Permissions(config.permissions, new LogbookAccess(config.logbookAccessFile));
  const audit = new AuditLog({ storage, clock, log: log.child({ part: 'audit' }), jobs }, config.auditRetention);
  cleanup.push(() => audit.close());
  const sessions = new Sessions(
    { storage, clock },
    { idleMs: config.sessionIdleTimeout, totalMs: config.sessionMaxAge },
  );
  const tokens = new ApiTokens({ storage, clock });
  const providers = await openAuthenticationProviders(schemes, log);
  for (const provider of providers) cleanup.push(() => provider.close());
  const throttle = new SignInThrottle(clock);
  // A restart is no reason to take those who were there before for strangers.
  for (const { account, from } of await sessions.list(undefined, trustedAtStart)) {
    throttle.trust(account.userName, from);
  }
  const authenticator = new Authenticator({
    providers,
    sessions,
    tokens,
    throttle,
    credentialCache: new CredentialCache(config.credentialCacheTtl),
    audit,
    accounts: new Accounts(schemeNamesIn(config), groupRoles(config)),
  });
  const browserSignIn = await oidcSignIn(config);
  if (browserSignIn) cleanup.push(() => browserSignIn.close());
  return { permissions, audit, sessions, tokens, authenticator, browserSignIn };
}

/** A name that is misspelt in the file would leave its logbook open. */
async function warnOfUnknownLogbooks(config: Config, storage: Storage, log: Log): Promise<void> {
  const known = new Set((await storage.committed.catalog.list('logbooks')).map(({ name }) => foldCase(name)));
  for (const { logbook } of config.logbookAccessFile) {
    if (!known.has(foldCase(logbook))) log.warn({ logbook }, 'logbookAccessFile: unknown logbook');
  }
}

function schemeNamesIn({ authenticationProviders, oidcIssuer }: Config): string[] {
  return oidcIssuer === '' ? authenticationProviders : [...authenticationProviders, 'oidc'];
}

function groupRoles(config: Config) {
  const { adminGroups, logGroups, logbookGroups, tagGroups, propertyGroups } = config;
  return { ADMIN: adminGroups, LOG: logGroups, LOGBOOK: logbookGroups, TAG: tagGroups, PROPERTY: propertyGroups };
}

async function oidcSignIn(config: Config): Promise<BrowserSignIn | undefined> {
  if (config.oidcIssuer === '') return undefined;
  const { OidcSignIn } = await import('../integrations/oidc/oidc-sign-in.js');
  return new OidcSignIn({
    issuer: config.oidcIssuer,
    clientId: config.oidcClientId,
    clientSecret: config.oidcClientSecret,
    scope: config.oidcScope,
    userClaim: config.oidcUserClaim,
    groupsClaim: config.oidcGroupsClaim,
    timeoutMs: oidcTimeoutMs,
  });
}
