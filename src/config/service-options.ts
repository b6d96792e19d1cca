import type { ArchiverOptions } from '../../packages/control-system/archiver-appliance.js';
import type { ChannelAccessOptions } from '../../packages/control-system/channel-access.js';
import type { PvwsOptions } from '../../packages/control-system/pvws.js';
import type { WebSourceOptions } from '../../packages/control-system/web-source.js';
import type { LogbookRule } from '../auth/logbook-access.js';
import type { Retention } from '../backup/retention-options.js';
import type { BackupKeyOptions, BackupTargetOptions } from '../engines/backup-options.js';
import type { StorageOptions } from '../engines/storage-options.js';
import type { PassedSockets } from '../http/connections/socket-options.js';
import type { TlsKeyOptions } from '../http/connections/tls-options.js';
import type { OidcOptions } from '../integrations/oidc/oidc-options.js';
import type { TracingOptions } from '../integrations/opentelemetry/tracing-options.js';
import type { ListLimits } from '../kernel/list-limits.js';
import type { PluginModule, PluginSetting } from '../plugins/load-plugins.js';
import type { ChatOptions } from './chat-settings.js';
import type { SchemeSetting } from './directory/schemes.js';
import type { MailOptions } from './mail-settings.js';
import type { PushOptions } from './push-settings.js';
import type { Shift } from './setting-parsers.js';
import type { SubscriberSetting } from './subscribers/subscriber-keys.js';

/** Everything that the service is started with. What is not configured is undefined or an empty list. */
export interface ServiceOptions {
  readonly storage: StorageOptions;
  /** Minimum free space for storing anything; on a small disk, at most a twentieth of it. */
  readonly minFreeBytes: number;
  readonly backup: BackupOptions;
  /** File with the initial catalogue of an empty database; undefined: the default catalogue. */
  readonly initialCatalogFile: string | undefined;
  /** Maximum number of items per catalogue list. */
  readonly catalogLimits: ListLimits;
  readonly templateLimits: ListLimits;
  readonly attachmentTextSearch: boolean;
  readonly plugins: PluginOptions;
  readonly auth: AuthOptions;
  readonly http: HttpOptions;
  readonly admission: AdmissionLimits;
  readonly listeners: ListenerOptions;
  readonly live: LiveOptions;
  readonly subscribers: readonly SubscriberSetting[];
  /** Undefined: users cannot choose mails. */
  readonly mail: MailOptions | undefined;
  /** Undefined: users cannot choose notifications in their browsers. */
  readonly push: PushOptions | undefined;
  /** Undefined: users cannot choose messages in a chat. */
  readonly chat: ChatOptions | undefined;
  /** IANA time zone for times in searches that specify none. */
  readonly timeZone: string;
  readonly shifts: readonly Shift[];
  readonly controlSystem: ControlSystemOptions;
  /** Time without an append after which a run counts as abandoned. */
  readonly runTimeoutMs: number;
  /** Whether agents may connect. */
  readonly mcp: boolean;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingOptions | undefined;
  /** Time between a stop signal and the refusal of requests; 0: none. */
  readonly drainMs: number;
}

export interface BackupOptions {
  /** Undefined: no backup target is configured. */
  readonly target: BackupTargetOptions | undefined;
  readonly keys: BackupKeyOptions;
  /** The time of day of a backup, in minutes since midnight; undefined: the service makes none. */
  readonly atMinutes: number | undefined;
  readonly retention: Retention;
  /** Maximum number of bytes that a backup reads per second; undefined: no limit. */
  readonly bytesPerSecond: number | undefined;
}

export interface ControlSystemOptions {
  /** Patterns; empty: no names are recognised. */
  readonly deviceNames: readonly string[];
  /** Undefined, as the next: no live values are read from it. */
  readonly pvws: PvwsOptions | undefined;
  readonly channelAccess: ChannelAccessOptions | undefined;
  /** Undefined: no values of the past are read. */
  readonly archiver: ArchiverOptions | undefined;
  /** Each of the following adds something to the pages of devices; undefined: it does not. */
  readonly channelFinder: WebSourceOptions | undefined;
  readonly alarmLogger: WebSourceOptions | undefined;
  readonly saveAndRestore: WebSourceOptions | undefined;
}

export interface PluginOptions {
  readonly modules: readonly PluginModule[];
  readonly settings: readonly PluginSetting[];
  /** Absolute paths of the directories that modules are relative to, searched in this order. */
  readonly dirs: readonly string[];
}

export interface AuthOptions {
  /** Tried in this order. */
  readonly providers: readonly SchemeSetting[];
  readonly oidc: OidcOptions | undefined;
  readonly permissions: 'signed-in' | 'roles';
  /** The groups whose members have each role. */
  readonly roleGroups: {
    readonly [Role in 'ADMIN' | 'LOG' | 'LOGBOOK' | 'TAG' | 'PROPERTY']: readonly string[];
  };
  readonly logbookRules: readonly LogbookRule[];
  /** 0: no caching. */
  readonly credentialCacheMs: number;
  /** 0: accounts are only looked up when their users sign in. */
  readonly accountRecheckMs: number;
  /**
   * Maximum number of failed sign-ins to one account of a directory from addresses where it has never signed in. 0
   * failures: no limit.
   */
  readonly newAddressLimit: { readonly failures: number; readonly windowMs: number };
  readonly sessionIdleMs: number;
  readonly sessionMaxAgeMs: number;
  readonly auditRetentionMs: number;
  readonly trustSystemClock: boolean;
}

export interface HttpOptions {
  readonly rootPath: string;
  /** Further prefixes below which the API answers. */
  readonly rootPathAliases: readonly string[];
  /** Undefined: links begin with the URL of the request. */
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly maxFileBytes: number;
  readonly maxRequestBytes: number;
  readonly maxEntryBytes: number;
  /** Maximum total size of a user's draft files, in bytes. */
  readonly maxDraftFileBytes: number;
  readonly requireSignInForReads: boolean;
  readonly requireTlsForWrites: boolean;
  readonly sessionCookieSameSite: 'lax' | 'none';
  /** Time from which a request is logged as slow; undefined: never. */
  readonly slowRequestMs: number | undefined;
}

export interface AdmissionLimits {
  readonly searchThreads: number;
  readonly maxWaitingPerClient: number;
  readonly maxWaitingLongWritesPerClient: number;
  /** Maximum number of files read at the same time, and the setting that limits it; undefined: no limit. */
  readonly downloads: { readonly limit: number; readonly setting: string } | undefined;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0: a free port; `off`: no such listener. */
  readonly httpPort: number | 'off';
  /** 0: a free port; `off`: no such listener. */
  readonly httpsPort: number | 'off';
  readonly tls: TlsKeyOptions;
  /** Passed by the service manager; without, the service opens its own. */
  readonly sockets?: PassedSockets;
}

export interface LiveOptions {
  readonly maxWebSocketConnections: number;
  readonly maxEventStreams: number;
  readonly maxConnectionsPerAddress: number;
}
