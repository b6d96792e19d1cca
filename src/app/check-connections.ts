import { Accounts } from '../auth/accounts.js';
import type { SchemeSetting } from '../config/directory/schemes.js';
import type { ServiceOptions } from '../config/service-options.js';
import type { SubscriberSetting } from '../config/subscribers/subscriber-keys.js';
import type { DirectoryCheck } from '../integrations/ldap/check-directory.js';
import type { Finding } from '../kernel/finding.js';
import type { Log } from '../kernel/log.js';
import { CleanupStack } from './cleanup-stack.js';
import { startEmbeddedDirectory } from './open-authentication-providers.js';

/** Finding about a connection to another server. */
export interface ConnectionFinding extends Finding {
  /** The part to which the connection belongs, such as a database, a provider or a subscriber. */
  readonly part: string;
}

export interface CheckRequest {
  /** User name to look up, as typed at sign-in; undefined to look up no user. */
  readonly userName: string | undefined;
  /** Whether to check the embedded directory too, on a separate port. */
  readonly includeEmbedded: boolean;
}

/**
 * Checks the database, the object storage, the search cluster, the directories, the OpenID Connect provider and the
 * mail servers of the configuration, one after the other. It checks only what is possible without the password of a
 * user and without sending a mail. Stops when the signal aborts.
 */
export async function* checkConnections(
  options: ServiceOptions,
  request: CheckRequest,
  log: Log,
  signal: AbortSignal,
): AsyncGenerator<ConnectionFinding> {
  const { auth, subscribers, storage } = options;
  if (storage.kind === 'postgres') {
    const { checkPostgres } = await import('../engines/postgres/check-postgres.js');
    yield { part: 'postgres', ...(await checkPostgres(storage.postgres, log)) };
  }
  if (storage.blobs.kind === 's3') {
    const { checkS3 } = await import('../engines/s3/check-s3.js');
    for (const finding of await checkS3(storage.blobs.s3, log)) yield { part: 's3', ...finding };
  }
  if (storage.index.kind === 'opensearch') {
    const { checkOpenSearch } = await import('../engines/opensearch/check-opensearch.js');
    for (const finding of await checkOpenSearch(storage.index.opensearch, log))
      yield { part: 'opensearch', ...finding };
  }
  for (const provider of auth.providers) {
    if (signal.aborted) return;
    const check = await checkProvider(provider, request, log);
    for (const finding of check?.findings ?? []) yield { part: provider.scheme, ...finding };
    if (check?.user) yield { part: provider.scheme, ...describeUser(provider.scheme, check.user, options) };
  }
  if (auth.oidc && !signal.aborted) {
    const { checkIssuer } = await import('../integrations/oidc/check-issuer.js');
    yield { part: 'oidc', ...(await checkIssuer(auth.oidc, log)) };
  }
  for (const subscriber of subscribers) {
    if (signal.aborted) return;
    const finding = await checkSubscriber(subscriber);
    if (finding) yield { part: `subscriber ${subscriber.name}`, ...finding };
  }
}

async function checkProvider(
  setting: SchemeSetting,
  { userName, includeEmbedded }: CheckRequest,
  log: Log,
): Promise<DirectoryCheck | undefined> {
  if (setting.scheme === 'inMemory' || (setting.scheme === 'embeddedLdap' && !includeEmbedded)) return undefined;
  const { checkActiveDirectory, checkLdap } = await import('../integrations/ldap/check-directory.js');
  if (setting.scheme === 'ldap') return checkLdap(setting.settings, userName, log);
  if (setting.scheme === 'active_directory') return checkActiveDirectory(setting.settings, userName);
  const cleanup = new CleanupStack();
  try {
    const { url } = await startEmbeddedDirectory({ ...setting.settings, port: 0 }, log, cleanup);
    return await checkLdap({ ...setting.settings.ldap, urls: [url] }, userName, log);
  } catch (error) {
    return { findings: [{ isProblem: true, text: (error as Error).message }], user: undefined };
  } finally {
    await cleanup.close();
  }
}

function describeUser(
  scheme: string,
  { dn, userName, groups, isClosed }: NonNullable<DirectoryCheck['user']>,
  { auth }: ServiceOptions,
): Finding {
  const principal = new Accounts([scheme], auth.roleGroups).toPrincipal({ scheme, userName, groups, roles: [] });
  const inGroups =
    groups.length === 0 ? 'in no group' : `in the groups ${groups.map((name) => `“${name}”`).join(', ')}`;
  const roles = principal?.roles.join(', ') ?? 'none';
  const state = isClosed ? ' The account is disabled, expired or locked.' : '';
  return { isProblem: isClosed, text: `user ${userName} is ${dn}, ${inGroups}; roles: ${roles}.${state}` };
}

async function checkSubscriber(setting: SubscriberSetting): Promise<Finding | undefined> {
  // Any request to these subscribers would be a delivery.
  if (setting.kind === 'webhook' || setting.kind === 'chat') return undefined;
  const { checkMailServer } = await import('../integrations/smtp/check-mail-server.js');
  const { smtpUrl: url, timeoutSeconds, caFile: caCertificates } = setting;
  return checkMailServer({ url, timeoutMs: timeoutSeconds * 1_000, caCertificates });
}
