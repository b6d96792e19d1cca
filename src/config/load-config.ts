import { readSchemes, type SchemeSetting } from './directory/schemes.js';
import { findPluginSetting, type PluginSetting, pluginDirs } from './plugin-settings.js';
import { readPropertiesFile } from './properties-file.js';
import { settingError } from './setting.js';
import { type Config, environmentName, flagName, type SettingName, settingNames, settings } from './settings.js';
import { isSubscriberKey, loadSubscribers, type SubscriberText } from './subscribers/load-subscribers.js';
import { suggestName } from './suggest-name.js';

/** What the command line said, as text. */
export interface CommandLine {
  /** From `--data-dir DIR` and the like. */
  readonly flags: Partial<Record<SettingName, string>>;
  /** From `-Dname=value`; the names are not checked yet. */
  readonly properties: Readonly<Record<string, string>>;
  /** From `--config FILE`. */
  readonly configFile: string | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  /** How people sign in, in the order in which it is tried. */
  readonly schemes: readonly SchemeSetting[];
  /** Where each value came from, for people. */
  readonly origins: Readonly<Record<SettingName, string>>;
  /** Each value as it was written. */
  readonly texts: Readonly<Record<SettingName, string>>;
  /** What is configured of subscribers, a line each, secrets masked. */
  readonly subscriberLines: readonly string[];
}

/** Everything that is wrong with the configuration, a line each. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const configFileVariable = 'LOGBOOK_CONFIG';

/** A name may also be written as its flag is, such as admin-groups. */
const namesInFiles: ReadonlyMap<string, SettingName> = new Map(
  settingNames.flatMap((name) => [
    [name, name],
    [flagName(name).slice(2), name],
  ]),
);

interface Source {
  readonly values: Readonly<Record<string, string>>;
  /** Names that this source may hold; others are mistakes. */
  readonly known: ReadonlyMap<string, SettingName>;
  readonly describe: (key: string) => string;
  /** Whether subscribers may be configured there. */
  readonly hasSubscribers?: true;
}

/**
 * Reads the configuration; of several sources, the first that names a setting wins: flags, `-Dname=value`,
 * environment, configuration file.
 * @throws ConfigError with all of them at once
 */
export function loadConfig(commandLine: CommandLine, environment: NodeJS.ProcessEnv): LoadedConfig {
  const problems: string[] = [];
  const configFile = commandLine.configFile ?? environment[configFileVariable];
  const sources = [
    flagSource(commandLine),
    propertySource(commandLine),
    environmentSource(environment),
    fileSource(configFile, problems),
  ];
  const { given, subscriberTexts, pluginSettings } = readSources(sources, problems);
  const config: Partial<Record<SettingName, unknown>> = {};
  const origins: Partial<Record<SettingName, string>> = {};
  const texts: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) {
    const { text, origin } = given.get(name) ?? { text: settings[name].defaultText, origin: 'default' };
    try {
      config[name] = settings[name].parse(text);
      origins[name] = origin;
      texts[name] = text;
    } catch (error) {
      problems.push(settingError(origin, text, isSecret(name), error));
    }
  }
  problems.push(...checkCombinations(config as Partial<Config>));
  const { subscribers, lines: subscriberLines, problems: subscriberProblems } = loadSubscribers(subscriberTexts);
  problems.push(...subscriberProblems);
  const schemes = schemesOf(config as Partial<Config>, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    config: {
      ...(config as Omit<Config, 'subscribers' | 'pluginSettings' | 'pluginDirs'>),
      subscribers,
      pluginSettings,
      pluginDirs: pluginDirs(configFile),
    },
    schemes,
    origins: origins as Record<SettingName, string>,
    texts: texts as Record<SettingName, string>,
    subscriberLines,
  };
}

/** What the sources say of each setting, of subscribers and of plug-ins; the first source wins. */
function readSources(sources: readonly Source[], problems: string[]) {
  const given = new Map<SettingName, { text: string; origin: string }>();
  const pluginSettings = new Map<string, PluginSetting>();
  const subscriberTexts = new Map<string, SubscriberText>();
  for (const { values, known, describe, hasSubscribers } of sources) {
    for (const [key, text] of Object.entries(values)) {
      const name = known.get(key);
      const ofPlugin = findPluginSetting(key, text, describe(key));
      if (hasSubscribers && isSubscriberKey(key)) {
        subscriberTexts.set(key, subscriberTexts.get(key) ?? { text, origin: describe(key) });
      } else if (ofPlugin) pluginSettings.set(key, pluginSettings.get(key) ?? ofPlugin);
      else if (name === undefined) problems.push(`${describe(key)}: there is no such setting${suggestion(key, known)}`);
      else if (!given.has(name)) given.set(name, { text, origin: describe(key) });
    }
  }
  return { given, subscriberTexts, pluginSettings: [...pluginSettings.values()] };
}

function isSecret(name: SettingName): boolean {
  return 'secret' in settings[name];
}

/** The configuration as lines `name = value  # origin`, secrets masked. */
export function describeConfig({ config, origins, texts, subscriberLines }: LoadedConfig): string[] {
  const lines = settingNames.map((name) => {
    const value = config[name];
    const text = isSecret(name) && value !== '' ? '********' : typeof value === 'object' ? texts[name] : String(value);
    return `${name} = ${text}  # ${origins[name]}`;
  });
  // Only the plug-in knows which of its settings are secret.
  return [
    ...lines,
    ...subscriberLines,
    ...config.pluginSettings.map((one) => `plugin.${one.plugin}.${one.key} = ********  # ${one.origin}`),
  ];
}

function flagSource({ flags }: CommandLine): Source {
  const values = flags as Record<string, string>;
  return {
    values,
    known: new Map(settingNames.map((name) => [name, name])),
    describe: (key) => flagName(key as SettingName),
  };
}

function propertySource({ properties }: CommandLine): Source {
  return {
    values: properties,
    known: namesInFiles,
    describe: (key) => `-D${key}`,
    hasSubscribers: true,
  };
}

function environmentSource(environment: NodeJS.ProcessEnv): Source {
  const known = new Map(settingNames.map((name) => [environmentName(name), name]));
  for (const name of settingNames) if ('bareEnvironmentName' in settings[name]) known.set(name, name);
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(environment)) {
    const ours = known.has(key) || (key.startsWith('LOGBOOK_') && key !== configFileVariable);
    // A variable that is set to nothing counts as not set.
    if (ours && value) values[key] = value;
  }
  return { values, known, describe: (key) => `environment variable ${key}` };
}

function fileSource(file: string | undefined, problems: string[]): Source {
  const known = namesInFiles;
  const describe = (key: string) => `${key} in ${file}`;
  const source = { values: {}, known, describe, hasSubscribers: true } as const;
  if (file === undefined || file === '') return source;
  try {
    return { ...source, values: readPropertiesFile(file) };
  } catch (error) {
    problems.push(`configuration file ${file}: ${(error as Error).message}`);
    return source;
  }
}

function suggestion(key: string, known: ReadonlyMap<string, SettingName>): string {
  const nearest = suggestName(key, known.keys());
  return nearest === undefined ? '; --help lists them all' : `; did you mean ${nearest}?`;
}

/** None when the names themselves are wrong. */
function schemesOf(config: Partial<Config>, problems: string[]): readonly SchemeSetting[] {
  const { authenticationProviders = [], embeddedLdapPropertySource = '' } = config;
  const { ldapPropertySource = '', activeDirectoryPropertySource = '' } = config;
  const files = { embeddedLdapPropertySource, ldapPropertySource, activeDirectoryPropertySource };
  const reading = readSchemes([...new Set(authenticationProviders)], files);
  if ('settings' in reading) return reading.settings;
  problems.push(...reading.problems);
  return [];
}

function checkCombinations(config: Partial<Config>): string[] {
  const problems: string[] = [];
  if ((config.tlsCertificateFile === '') !== (config.tlsKeyFile === '')) {
    problems.push('tlsCertificateFile and tlsKeyFile belong together: set both or neither');
  }
  if (config.tlsPkcs12File && config.tlsCertificateFile) {
    problems.push('tlsPkcs12File and tlsCertificateFile exclude each other: set one of them');
  }
  if ((config.oidcIssuer === '') !== (config.oidcClientId === '')) {
    problems.push('oidcIssuer and oidcClientId belong together: set both or neither');
  }
  if (config.oidcClientSecret && config.oidcIssuer === '') {
    problems.push('oidcClientSecret is of no use without oidcIssuer: set both or neither');
  }
  if (config.httpPort !== undefined && config.httpPort !== 0 && config.httpPort === config.httpsPort) {
    problems.push(`httpPort and httpsPort are both ${config.httpPort}: give each its own`);
  }
  if (config.authenticationProviders?.length === 0 && !config.oidcIssuer)
    problems.push('authenticationProviders is empty and there is no oidcIssuer: name at least one scheme');
  return problems;
}
