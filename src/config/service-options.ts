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

/** Everything that the service needs to start. A part that is not configured is undefined or an empty list. */
export interface ServiceOptions {
  readonly storage: StorageOptions;
  /** Minimum free space for storing anything, in bytes. On a small disk, a twentieth of its size is enough. */
  readonly minFreeBytes: number;
  readonly backup: BackupOptions;
  /** File with the initial catalogue of an empty database; undefined: the default catalogue. */
  readonly initialCatalogFile: string | undefined;
  /** Maximum size of each list of the catalogue. */
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
  /** Undefined when users cannot choose mails. */
  readonly mail: MailOptions | undefined;
  /** Undefined when users cannot choose notifications in their browsers. */
  readonly push: PushOptions | undefined;
  /** Undefined when users cannot choose messages in a chat. */
  readonly chat: ChatOptions | undefined;
  /** IANA time zone for times without a zone in searches. */
  readonly timeZone: string;
  readonly shifts: readonly Shift[];
  readonly controlSystem: ControlSystemOptions;
  /** Time without an append after which a run counts as abandoned. */
  readonly runTimeoutMs: number;
  /** Whether agents may connect. */
  readonly mcp: boolean;
  /** Undefined when tracing is not configured. */
  readonly tracing: TracingOptions | undefined;
  /** Time from a stop signal to the refusal of requests; 0 for none. */
  readonly drainMs: number;
}

export interface BackupOptions {
  /** Undefined when no backup target is configured. */
  readonly target: BackupTargetOptions | undefined;
  readonly keys: BackupKeyOptions;
  /** Time of day of the backup, in minutes since midnight; undefined when the service makes no backups. */
  readonly atMinutes: number | undefined;
  readonly retention: Retention;
  /** Maximum number of bytes that a backup reads per second; undefined for no limit. */
  readonly bytesPerSecond: number | undefined;
}

export interface ControlSystemOptions {
  /** Patterns of device names. */
  readonly deviceNames: readonly string[];
  /** Whether names of Channel Finder are recognised as well. */
  readonly deviceNamesFromDirectory: boolean;
  /** This source and the next provide live values; undefined when not configured. */
  readonly pvws: PvwsOptions | undefined;
  readonly channelAccess: ChannelAccessOptions | undefined;
  /** Provides past values; undefined when not configured. */
  readonly archiver: ArchiverOptions | undefined;
  /** This source and the next two add details to the pages of devices; undefined when not configured. */
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
  /** Providers in the order in which they are tried. */
  readonly providers: readonly SchemeSetting[];
  readonly oidc: OidcOptions | undefined;
  readonly permissions: 'signed-in' | 'roles';
  /** Groups whose members have the role, by role. */
  readonly roleGroups: {
    readonly [Role in 'ADMIN' | 'LOG' | 'LOGBOOK' | 'TAG' | 'PROPERTY']: readonly string[];
  };
  readonly logbookRules: readonly LogbookRule[];
  /** Time for which accepted credentials are cached; 0 for no caching. */
  readonly credentialCacheMs: number;
  /** Interval between checks of an account; 0: accounts are only looked up when their users sign in. */
  readonly accountRecheckMs: number;
  /**
   * Maximum number of failed sign-ins to a directory account from addresses where it has never signed in. 0 failures:
   * no limit.
   */
  readonly newAddressLimit: { readonly failures: number; readonly windowMs: number };
  readonly sessionIdleMs: number;
  readonly sessionMaxAgeMs: number;
  readonly auditRetentionMs: number;
  readonly trustSystemClock: boolean;
}

export interface HttpOptions {
  readonly rootPath: string;
  /** Additional prefixes under which the API answers. */
  readonly rootPathAliases: readonly string[];
  /** Undefined when links begin with the URL of the request. */
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
  /** Minimum duration of a request that is logged as slow; undefined: none is logged. */
  readonly slowRequestMs: number | undefined;
}

export interface AdmissionLimits {
  readonly searchThreads: number;
  readonly maxWaitingPerClient: number;
  readonly maxWaitingLongWritesPerClient: number;
  /** Maximum number of files read concurrently, and the setting that limits it; undefined for no limit. */
  readonly downloads: { readonly limit: number; readonly setting: string } | undefined;
}

export interface ListenerOptions {
  readonly host: string;
  /** Port of the listener. 0: a free port; `off`: no such listener. */
  readonly httpPort: number | 'off';
  /** Port of the listener. 0: a free port; `off`: no such listener. */
  readonly httpsPort: number | 'off';
  readonly tls: TlsKeyOptions;
  /** Sockets passed by the service manager. A listener without one opens its own. */
  readonly sockets?: PassedSockets;
}

export interface LiveOptions {
  readonly maxWebSocketConnections: number;
  readonly maxEventStreams: number;
  readonly maxConnectionsPerAddress: number;
}
