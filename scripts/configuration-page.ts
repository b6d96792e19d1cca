import { environmentName, findSetting, flagName, type SettingName, settingNames } from '../src/config/settings.js';
import {
  defaultTextOf,
  type SubscriberKey,
  subscriberKeyNames,
  subscriberKeys,
  subscriberKinds,
} from '../src/config/subscribers/subscriber-keys.js';

/** Generates the page `docs/operator/configuration.md` from the settings. */
export function configurationPage(): string {
  return `# Configuration

No setting is required. A setting can be given in four places, in order of precedence:

1. a flag: \`--root-path /Olog\`
2. a property on the command line: \`-DrootPath=/Olog\`
3. an environment variable: \`LOGBOOK_ROOT_PATH=/Olog\` (an empty variable counts as not set)
4. the configuration file, a Java properties file in UTF-8 named by \`--config FILE\` or \`LOGBOOK_CONFIG\`: \`rootPath = /Olog\`

\`authenticationProviders\` and the settings that end in \`PropertySource\` are also read from the environment variable of
exactly that name.

Plug-ins have their own settings, \`plugin.<name>.<key> = value\`, in the configuration file or, with \`-D\`, on the command
line. \`logbook config\` never prints their values.

All errors, including unknown names, are reported together before the start. \`logbook config\` prints the resulting
configuration and the origin of each value. Sizes are in units of 1024 and need a unit if they are below 1,024.

Paths of files may begin with \`file:\`. A relative path is relative to the file that contains it or, if nothing is there,
to the working directory; \`dataDir\` is always relative to the working directory. [existing-sites.md](existing-sites.md)
has the keys of existing sites.

| Name | Flag | Environment | Default | Meaning |
|---|---|---|---|---|
${settingNames.map(settingRow).join('\n')}

## Subscribers

[subscribers.md](subscribers.md) describes subscribers. A subscriber has a name and keys, such as
\`subscriber.shift-chat.url\`, in the configuration file or with \`-D\`.

| Key | Kinds | Value | Default | Meaning |
|---|---|---|---|---|
${subscriberKeyNames.map(subscriberRow).join('\n')}

## Former names

These names still work in this version; using one logs a warning. Setting both names is an error.

| Former name | Name |
|---|---|
${formerNames().join('\n')}
`;
}

function settingRow(name: SettingName): string {
  const { placeholder, defaultText, description, secret } = findSetting(name);
  const flag = `${flagName(name)} ${placeholder.replaceAll('|', '\\|')}`;
  const meaning = `${description}${secret ? ' Never printed.' : ''}`;
  return `| \`${name}\` | \`${flag}\` | \`${environmentName(name)}\` | ${code(defaultText)} | ${meaning} |`;
}

function subscriberRow(name: (typeof subscriberKeyNames)[number]): string {
  const { kinds, placeholder, description, required, secret }: SubscriberKey<unknown> = subscriberKeys[name];
  const [defaultText, emailDefaultText] = [defaultTextOf(name, 'webhook'), defaultTextOf(name, 'email')];
  const shown = required
    ? 'required'
    : emailDefaultText === defaultText
      ? code(defaultText)
      : `${code(defaultText)}, email ${code(emailDefaultText)}`;
  const of = kinds && kinds.length < subscriberKinds.length ? kinds.join(', ') : 'all';
  return `| \`${name}\` | ${of} | \`${placeholder.replaceAll('|', '\\|')}\` | ${shown} | ${description}${secret ? ' Never printed.' : ''} |`;
}

function formerNames(): string[] {
  const ofSettings = settingNames.flatMap((name) =>
    (findSetting(name).formerNames ?? []).map((former) => [former, name] as const),
  );
  const ofSubscribers = subscriberKeyNames.flatMap((name) => {
    const { formerNames = [] }: SubscriberKey<unknown> = subscriberKeys[name];
    return formerNames.map((former) => [`subscriber.NAME.${former}`, `subscriber.NAME.${name}`] as const);
  });
  const pairs = [...ofSettings, ['follower.NAME.KEY', 'subscriber.NAME.KEY'] as const, ...ofSubscribers];
  return pairs.map(([former, name]) => `| ${code(former)} | ${code(name)} |`);
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
