import { join, resolve } from 'node:path';
import type { StorageOptions } from '../engines/storage-options.js';
import type { TlsKeyOptions } from '../http/connections/tls-options.js';
import type { OidcOptions } from '../integrations/oidc/oidc-options.js';
import { toBackupTarget, toRetention } from './backup-settings.js';
import { toBlobOptions } from './blob-settings.js';
import { toChatOptions } from './chat-settings.js';
import { toControlSystemOptions } from './control-system-settings.js';
import { toIndexOptions } from './index-settings.js';
import { toMailOptions } from './mail-settings.js';
import { toTracingOptions } from './monitoring-settings.js';
import { toPushOptions } from './push-settings.js';
import type { ServiceOptions } from './service-options.js';
import type { SettingValues } from './settings.js';
import { toPostgresOptions } from './storage-settings.js';

const oidcTimeoutMs = 10_000;

/** Options that do not come from flat settings. */
type OtherOptions = Pick<ServiceOptions, 'subscribers'> & {
  readonly plugins: Omit<ServiceOptions['plugins'], 'modules'>;
  readonly providers: ServiceOptions['auth']['providers'];
};

/** Turns the flat settings into the options of the service. `checkCombinations` must have accepted them. */
export function toServiceOptions(
  values: SettingValues,
  { subscribers, plugins, providers }: OtherOptions,
): ServiceOptions {
  const dataDir = resolve(values.dataDir);
  return {
    storage: toStorageOptions(values, dataDir),
    minFreeBytes: values.minFreeSpace,
    backup: {
      target: toBackupTarget(values),
      atMinutes: values.backupAt,
      retention: toRetention(values),
      bytesPerSecond: values.backupBytesPerSecond,
      keys: { signingKeyFile: values.backupSigningKey, publicKeyFile: values.backupPublicKey },
    },
    initialCatalogFile: values.initialCatalogFile,
    catalogLimits: { maxItems: values.maxCatalogNames, maxBytes: values.maxCatalogSize },
    templateLimits: { maxItems: values.maxTemplates, maxBytes: values.maxTemplatesSize },
    attachmentTextSearch: values.attachmentTextSearch,
    plugins: { ...plugins, modules: values.plugins },
    auth: toAuthOptions(values, providers),
    http: toHttpOptions(values),
    admission: {
      searchThreads: values.searchThreads,
      maxWaitingPerClient: values.maxWaitingPerClient,
      maxWaitingLongWritesPerClient: values.maxWaitingLongWritesPerClient,
      // A download holds a connection to the object storage for as long as its client reads.
      downloads: values.blobs === 's3' ? { limit: values.s3MaxConnections, setting: 's3MaxConnections' } : undefined,
    },
    listeners: {
      host: values.host,
      httpPort: values.httpPort,
      httpsPort: values.httpsPort,
      tls: toTlsKeyOptions(values, dataDir),
    },
    live: {
      maxWebSocketConnections: values.maxWebSocketConnections,
      maxEventStreams: values.maxEventStreams,
      maxConnectionsPerAddress: values.maxLiveConnectionsPerAddress,
    },
    subscribers,
    mail: toMailOptions(values),
    push: toPushOptions(values),
    chat: toChatOptions(values),
    timeZone: values.timeZone,
    shifts: values.shifts,
    controlSystem: toControlSystemOptions(values),
    runTimeoutMs: values.runTimeout,
    mcp: values.mcp,
    tracing: toTracingOptions(values),
    drainMs: values.drainDuration,
  };
}

function toStorageOptions(values: SettingValues, dataDir: string): StorageOptions {
  const { searchThreads } = values;
  const [blobs, index] = [toBlobOptions(values), toIndexOptions(values)];
  if (values.storage === 'embedded') {
    const { migrationCopy } = values;
    return { kind: 'embedded', dataDir, migrationCopy, searchThreads, blobs, index };
  }
  const attachmentsDir = resolve(values.attachmentsDir ?? join(dataDir, 'attachments'));
  const postgres = toPostgresOptions(values);
  const snapshots = { intervalMs: values.replicaSnapshotInterval, minFreeBytes: values.minFreeSpace };
  return { kind: 'postgres', dataDir, searchThreads, attachmentsDir, postgres, blobs, index, snapshots };
}

function toAuthOptions(values: SettingValues, providers: OtherOptions['providers']): ServiceOptions['auth'] {
  return {
    providers,
    oidc: toOidcOptions(values),
    permissions: values.permissions,
    roleGroups: {
      ADMIN: values.adminGroups,
      LOG: values.logGroups,
      LOGBOOK: values.logbookGroups,
      TAG: values.tagGroups,
      PROPERTY: values.propertyGroups,
    },
    logbookRules: values.logbookAccessFile,
    credentialCacheMs: values.credentialCacheTtl,
    accountRecheckMs: values.accountRecheckInterval,
    newAddressLimit: { failures: values.newAddressFailures, windowMs: values.newAddressFailureWindow },
    sessionIdleMs: values.sessionIdleTimeout,
    sessionMaxAgeMs: values.sessionMaxAge,
    auditRetentionMs: values.auditRetention,
    trustSystemClock: values.trustSystemClock,
  };
}

function toHttpOptions(values: SettingValues): ServiceOptions['http'] {
  return {
    rootPath: values.rootPath,
    rootPathAliases: values.rootPathAliases,
    publicUrl: values.publicUrl,
    allowedHosts: values.allowedHosts,
    corsOrigins: values.corsOrigins,
    trustedProxies: values.trustedProxies,
    maxFileBytes: values.maxFileSize,
    maxRequestBytes: values.maxRequestSize,
    maxEntryBytes: values.maxEntrySize,
    maxDraftFileBytes: values.maxDraftFilesSize,
    requireSignInForReads: values.requireSignInForReads,
    requireTlsForWrites: values.requireTlsForWrites,
    sessionCookieSameSite: values.sessionCookieSameSite,
    slowRequestMs: values.slowRequestThreshold || undefined,
  };
}

function toTlsKeyOptions(values: SettingValues, dataDir: string): TlsKeyOptions {
  const { tlsPkcs12File, tlsPkcs12Password = '', tlsCertificateFile, tlsKeyFile } = values;
  if (tlsPkcs12File !== undefined) return { kind: 'pkcs12', file: tlsPkcs12File, password: tlsPkcs12Password };
  if (tlsCertificateFile !== undefined && tlsKeyFile !== undefined) {
    return { kind: 'pem', certificateFile: tlsCertificateFile, keyFile: tlsKeyFile };
  }
  return { kind: 'self-signed', dir: join(dataDir, 'tls') };
}

function toOidcOptions(values: SettingValues): OidcOptions | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = values;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret: values.oidcClientSecret,
    scope: values.oidcScope,
    userClaim: values.oidcUserClaim,
    groupsClaim: values.oidcGroupsClaim,
    caCertificates: values.oidcCaFile?.pem,
    groupsSeparator: values.oidcGroupsSeparator,
    signOut: values.oidcSignOut,
    timeoutMs: oidcTimeoutMs,
  };
}
