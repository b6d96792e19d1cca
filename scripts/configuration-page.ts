import { backupSettings } from '../src/config/backup-settings.js';
import { blobSettings } from '../src/config/blob-settings.js';
import { chatSettings } from '../src/config/chat-settings.js';
import { controlSystemSettings } from '../src/config/control-system-settings.js';
import { indexSettings } from '../src/config/index-settings.js';
import { limitSettings } from '../src/config/limit-settings.js';
import { listenerSettings } from '../src/config/listener-settings.js';
import { mailSettings } from '../src/config/mail-settings.js';
import { monitoringSettings } from '../src/config/monitoring-settings.js';
import { oidcSettings } from '../src/config/oidc-settings.js';
import { pushSettings } from '../src/config/push-settings.js';
import type { Setting } from '../src/config/setting.js';
import { findSetting, type SettingName, settingNames } from '../src/config/settings.js';
import { signInSettings } from '../src/config/sign-in-settings.js';
import { siteSettings } from '../src/config/site-settings.js';
import { storageSettings } from '../src/config/storage-settings.js';
import {
  defaultTextOf,
  type SubscriberKey,
  subscriberKeyNames,
  subscriberKeys,
  subscriberKinds,
} from '../src/config/subscribers/subscriber-keys.js';
import { code, tableRow } from './markdown.js';

/** The settings that most sites change, with what to set them to. */
const usual = {
  dataDir: 'a directory on a local disk with room to grow',
  host: 'the address of this machine to which users or the proxy connect',
  publicUrl: 'the address that users type',
  tlsCertificateFile: 'the certificate of that name, with `tlsKeyFile`; not behind a proxy with TLS',
  trustedProxies: 'the address of the proxy, if there is one',
  authenticationProviders: '`ldap` or `active_directory`; with OpenID Connect, set `oidcIssuer`',
  adminGroups: 'the group that administers the logbook',
  requireSignInForReads: '`true`, if not everyone who reaches the address may read',
  backupTarget: 'a directory on another disk, or a bucket',
  backupAt: 'a quiet time',
} as const satisfies Partial<Record<SettingName, string>>;

interface Topic {
  readonly title: string;
  readonly table: Readonly<Record<string, Setting<unknown>>>;
  /** The condition of the settings whose names begin with `prefix`, so that their descriptions need not repeat it. */
  readonly condition?: { readonly prefix: string; readonly setting: string };
  readonly page?: string;
}

const topics: readonly Topic[] = [
  { title: 'Addresses and TLS', table: listenerSettings, page: 'tls.md' },
  { title: 'Sign-in', table: signInSettings, page: 'sign-in.md' },
  { title: 'OpenID Connect', table: oidcSettings, page: 'sign-in.md#openid-connect' },
  { title: 'Site', table: siteSettings },
  { title: 'Control system', table: controlSystemSettings, page: 'control-system.md' },
  { title: 'Backups', table: backupSettings, page: 'backup.md' },
  { title: 'Mails to users', table: mailSettings, page: 'subscribers.md#mails-to-users' },
  { title: 'Notifications in browsers', table: pushSettings, page: 'subscribers.md#notifications-in-browsers' },
  { title: 'Messages in a chat', table: chatSettings, page: 'subscribers.md#messages-in-a-chat' },
  { title: 'Monitoring', table: monitoringSettings, page: 'monitoring.md' },
  { title: 'Limits', table: limitSettings, page: 'running.md#fairness' },
  {
    title: 'Storage',
    table: storageSettings,
    condition: { prefix: 'postgres', setting: 'storage=postgres' },
    page: 'cluster-setup.md',
  },
  {
    title: 'Object storage',
    table: blobSettings,
    condition: { prefix: 's3', setting: 'blobs=s3' },
    page: 'object-storage.md',
  },
  {
    title: 'Search',
    table: indexSettings,
    condition: { prefix: 'opensearch', setting: 'index=opensearch' },
    page: 'opensearch.md',
  },
];

/** Generates the page `docs/operator/configuration.md` from the settings. */
export function configurationPage(): string {
  return `# Configuration

For operators who configure the service. At the end, you know each setting, and where to give it.

No setting is required. Most sites change these:

| Setting | To |
|---|---|
${Object.entries(usual)
  .map(([name, value]) => tableRow(code(name), value))
  .join('\n')}

## Giving a setting

| In order of precedence | Example |
|---|---|
| A flag | \`--root-path /Olog\` |
| A property on the command line | \`-DrootPath=/Olog\` |
| An environment variable; an empty one is not set | \`LOGBOOK_ROOT_PATH=/Olog\` |
| The configuration file, a Java properties file in UTF-8 named by \`--config FILE\` or \`LOGBOOK_CONFIG\` | \`rootPath = /Olog\` |

Flags and variables have a hyphen or an underscore before each capital letter of the name. \`authenticationProviders\` and
the settings that end in \`PropertySource\` may also be variables of exactly that name.

Sizes are in bytes, at least 1,024, or have a unit: \`B\`, \`kB\` (1,024 bytes), \`MB\` or \`GB\`. Directories, such as
\`dataDir\`, are relative to the working directory. Files are relative to the configuration file or, if they are not
there, to the working directory. For the property files of an Olog server, see [Moving
in](moving-in.md#property-files-of-existing-sites).

All errors are reported together before the start. \`logbook config\` prints each value with its origin, but no secrets
and no settings of plug-ins (\`plugin.<name>.<key> = value\`).

${topics.map(topicSection).join('\n\n')}

## Subscribers

[Subscribers](subscribers.md) have a name and keys, such as \`subscriber.shift-chat.url\`, in the configuration file or
with \`-D\`.

| Key | Kinds | Default | Meaning |
|---|---|---|---|
${subscriberKeyNames.map(subscriberRow).join('\n')}
`;
}

function topicSection({ title, table, condition, page }: Topic): string {
  const intro = [
    ...(page ? [`See [${page.replace(/[.]md.*/, '')}](${page}).`] : []),
    ...(condition ? [`Names that begin with \`${condition.prefix}\` apply with \`${condition.setting}\`.`] : []),
  ].join(' ');
  const rows = settingNames.filter((name) => Object.hasOwn(table, name)).map((name) => settingRow(name, condition));
  const head = ['| Setting | Default | Meaning |', '|---|---|---|'];
  return [`## ${title}`, '', ...(intro === '' ? [] : [intro, '']), ...head, ...rows].join('\n');
}

/** The settings that are in no topic. */
export function listUndocumented(): string[] {
  return settingNames.filter((name) => !topics.some(({ table }) => Object.hasOwn(table, name)));
}

function settingRow(name: SettingName, condition: Topic['condition']): string {
  const { placeholder, defaultText, description } = findSetting(name);
  const stated = condition ? `With ${condition.setting}: ` : '';
  const own = description.startsWith(stated) ? description.slice(stated.length) : description;
  const meaning = `${own.charAt(0).toUpperCase()}${own.slice(1)}`;
  return tableRow(code(`${name}=${placeholder}`), code(defaultText), meaning);
}

function subscriberRow(name: (typeof subscriberKeyNames)[number]): string {
  const { kinds, placeholder, description, required }: SubscriberKey<unknown> = subscriberKeys[name];
  const [defaultText, emailDefaultText] = [defaultTextOf(name, 'webhook'), defaultTextOf(name, 'email')];
  const shown = required
    ? 'required'
    : emailDefaultText === defaultText
      ? code(defaultText)
      : `${code(defaultText)}, email ${code(emailDefaultText)}`;
  const of = kinds && kinds.length < subscriberKinds.length ? kinds.join(', ') : 'all';
  return tableRow(code(`${name}=${placeholder}`), of, shown, description);
}
