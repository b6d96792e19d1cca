import type { FastifyBaseLogger } from 'fastify';
import { Accounts } from '../auth/accounts.js';
import { ApiTokens } from '../auth/api-tokens.js';
import { AuditLog } from '../auth/audit-log.js';
import { Authenticator } from '../auth/authenticator.js';
import type { BrowserSignIn } from '../auth/browser-sign-in.port.js';
import { RememberedSignIns } from '../auth/credential-cache.js';
import { LogbookAccess } from '../auth/logbook-access.js';
import { Permissions } from '../auth/permissions.js';
import { Sessions } from '../auth/sessions.js';
import { SignInThrottle } from '../auth/sign-in-throttle.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { Config } from '../config/settings.js';
import type { Storage } from '../engines/storage.port.js';
import type { Clock } from '../kernel/clock.js';
import { foldCase } from '../kernel/text.js';
import type { Closers } from './cleanup-stack.js';
import { openProviders } from './open-authentication-providers.js';

const trustedAtStart = 5_000;
const oidcTimeoutMs = 10_000;

/** Who signs in, and what they may do: from the configuration, with all that this needs running. */
export async function openSignIn(
  { config, schemes }: Pick<LoadedConfig, 'config' | 'schemes'>,
  { storage, clock, logger }: { storage: Storage; clock: Clock; logger: FastifyBaseLogger },
  closers: Closers,
) {
  await warnOfUnknownLogbooks(config, storage, logger);
  const permissions = new Permissions(config.permissions, new LogbookAccess(config.logbookAccessFile));
  const audit = new AuditLog(
    {
      storage,
      clock,
      writeLine: (record) => logger.info({ audit: record }, 'audit'),
      onError: (message, error) => logger.error({ err: error }, message),
    },
    config.auditRetention,
  );
  closers.push(() => audit.close());
  const sessions = new Sessions({ storage, clock }, { idleMs: config.sessionTimeout, totalMs: config.sessionMaxAge });
  const tokens = new ApiTokens({ storage, clock });
  const providers = await openProviders(schemes, (message, error) => logger.warn({ err: error }, message));
  for (const provider of providers) closers.push(() => provider.close());
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
    remembered: new RememberedSignIns(config.signInMemory),
    audit,
    accounts: new Accounts(schemeNamesIn(config), groupRoles(config)),
  });
  const browserSignIn = await oidcSignIn(config);
  if (browserSignIn) closers.push(() => browserSignIn.close());
  return { permissions, audit, sessions, tokens, authenticator, browserSignIn };
}

/** A name that is misspelt in the file would leave its logbook open. */
async function warnOfUnknownLogbooks(config: Config, storage: Storage, logger: FastifyBaseLogger): Promise<void> {
  const known = new Set((await storage.committed.catalog.list('logbooks')).map(({ name }) => foldCase(name)));
  for (const { logbook } of config.logbookAccessFile) {
    if (!known.has(foldCase(logbook))) logger.warn({ logbook }, 'logbookAccessFile names a logbook that is not there');
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
