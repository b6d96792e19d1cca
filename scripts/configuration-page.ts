import { environmentName, flagName, settingNames, settings } from '../src/config/settings.js';
import {
  defaultTextOf,
  type SubscriberKey,
  subscriberKeyNames,
  subscriberKeys,
  subscriberKinds,
} from '../src/config/subscribers/subscriber-keys.js';

/** The page `docs/operator/configuration.md`, from the settings themselves. */
export function configurationPage(): string {
  const rows = settingNames.map((name) => {
    const setting = settings[name];
    const text = setting.defaultText === '' ? '' : `\`${setting.defaultText}\``;
    const secret = 'secret' in setting ? ' Never printed.' : '';
    return `| \`${name}\` | \`${flagName(name)} ${setting.placeholder.replaceAll('|', '\\|')}\` | \`${environmentName(name)}\` | ${text} | ${setting.description}${secret} |`;
  });
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
configuration and the origin of each value. Sizes are in units of 1024.

| Name | Flag | Environment | Default | Meaning |
|---|---|---|---|---|
${rows.join('\n')}

## Subscribers

[subscribers.md](subscribers.md) describes subscribers. A subscriber has a name and keys, such as
\`subscriber.shift-chat.url\`, in the configuration file or with \`-D\`.

| Key | Kinds | Value | Default | Meaning |
|---|---|---|---|---|
${subscriberKeyNames.map(subscriberRow).join('\n')}
`;
}

function subscriberRow(name: (typeof subscriberKeyNames)[number]): string {
  const { kinds, placeholder, description, required, secret }: SubscriberKey<unknown> = subscriberKeys[name];
  const [defaultText, forMail] = [defaultTextOf(name, 'webhook'), defaultTextOf(name, 'email')];
  const code = (text: string) => (text === '' ? '' : `\`${text}\``);
  const shown = required
    ? 'required'
    : forMail === defaultText
      ? code(defaultText)
      : `${code(defaultText)}, email ${code(forMail)}`;
  const of = kinds && kinds.length < subscriberKinds.length ? kinds.join(', ') : 'all';
  return `| \`${name}\` | ${of} | \`${placeholder.replaceAll('|', '\\|')}\` | ${shown} | ${description}${secret ? ' Never printed.' : ''} |`;
}
