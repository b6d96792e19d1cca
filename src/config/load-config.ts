import { configFileVariable, defaultConfigFileVariable } from '../kernel/command-hint.js';
import type { PluginSetting } from '../plugins/load-plugins.js';
import { checkCombinations } from './check-combinations.js';
import { ConfigError } from './config-error.js';
import { readSchemes, type SchemeSetting } from './directory/schemes.js';
import { describeForeignKey } from './existing-sites.js';
import { resolveFile } from './file-path.js';
import { type Deprecation, type GivenText, GivenTexts } from './given-settings.js';
import { findPluginSetting, pluginDirs } from './plugin-settings.js';
import type { ServiceOptions } from './service-options.js';
import { settingError } from './setting.js';
import type { Spelling } from './setting-names.js';
import type { LogLevel } from './setting-parsers.js';
import {
  type CommandLine,
  environmentSource,
  fileSource,
  flagSource,
  propertySource,
  type SettingSource,
} from './setting-sources.js';
import { findSetting, type SettingName, type SettingValues, settingNames } from './settings.js';
import { loadSubscribers, subscriberSpelling } from './subscribers/load-subscribers.js';
import { suggestName } from './suggest-name.js';
import { toServiceOptions } from './to-service-options.js';

export interface LoadedConfig {
  readonly options: ServiceOptions;
  readonly logLevel: LogLevel;
  /** The configuration as lines `name = value  # origin`, with secrets masked. */
  readonly lines: readonly string[];
  readonly deprecations: readonly Deprecation[];
  /** Undefined when no file was read. */
  readonly configFile: string | undefined;
  /** The configuration file and the files that settings name. Only files that are configured are listed. */
  readonly files: readonly string[];
  /** Whether a provider is configured, so that users can sign in. */
  readonly hasSignIn: boolean;
  /** Whether the evaluation users may sign in, because this is a trial and no setting names a provider. */
  readonly usesEvaluationUsers: boolean;
}

/**
 * Loads the configuration. The first source that contains a setting wins: flags, `-Dname=value`, environment,
 * configuration file. The file is the one of the command line, of LOGBOOK_CONFIG, or of the installed service.
 * @throws ConfigError with all problems together
 */
export function loadConfig(commandLine: CommandLine, environment: NodeJS.ProcessEnv): LoadedConfig {
  const problems: string[] = [];
  const { isTrial = true } = commandLine;
  const namedFile = commandLine.configFile ?? environment[configFileVariable];
  const isDefaultFile = namedFile === undefined && !isTrial;
  const configFile = isDefaultFile ? environment[defaultConfigFileVariable] : namedFile;
  const sources = [
    flagSource(commandLine),
    propertySource(commandLine),
    environmentSource(environment),
    fileSource(configFile, problems, isDefaultFile ? '. “logbook init” writes one' : ''),
  ];
  const given = readSources(sources, problems);
  const hasProviders = given.settings.get('authenticationProviders') !== undefined;
  const { values, lines, files } = parseSettings(
    given.settings,
    isTrial ? {} : { authenticationProviders: '' },
    problems,
  );
  const { authenticationProviders, ...others } = values;
  problems.push(
    ...checkCombinations(
      hasProviders && authenticationProviders ? { ...others, authenticationProviders } : others,
      (name) => (given.settings.get(name)?.text ?? '').trim() !== '',
    ),
  );
  const subscribers = loadSubscribers(given.subscribers.entries());
  problems.push(...subscribers.problems);
  const providers = readProviders(values, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  const valid = values as SettingValues;
  return {
    options: toServiceOptions(valid, {
      subscribers: subscribers.subscribers,
      plugins: { settings: given.pluginSettings, dirs: pluginDirs(configFile) },
      providers,
    }),
    logLevel: valid.logLevel,
    lines: [...lines, ...subscribers.lines, ...given.pluginSettings.map(maskPluginSetting)],
    deprecations: [...given.settings.deprecations, ...given.subscribers.deprecations],
    configFile: configFile === '' ? undefined : configFile,
    files: [...(configFile ? [configFile] : []), ...files],
    usesEvaluationUsers: isTrial && !hasProviders,
    hasSignIn: providers.length > 0 || valid.oidcIssuer !== undefined,
  };
}

/** Sorts the content of the sources into settings of the service, of subscribers and of plug-ins. */
function readSources(sources: readonly SettingSource[], problems: string[]) {
  const settings = new GivenTexts();
  const subscribers = new GivenTexts();
  const pluginSettings = new Map<string, PluginSetting>();
  for (const { values, known, describe, dir, hasSubscribers } of sources) {
    for (const [key, text] of Object.entries(values)) {
      const origin = describe(key);
      const spelling = known.get(key);
      const ofSubscriber = hasSubscribers ? subscriberSpelling(key) : undefined;
      const ofPlugin = findPluginSetting(key, text, origin);
      if (ofSubscriber) subscribers.add(ofSubscriber, { text, origin, dir });
      else if (ofPlugin) pluginSettings.set(key, pluginSettings.get(key) ?? ofPlugin);
      else if (spelling) settings.add(spelling, { text, origin, dir });
      else problems.push(`${origin}: unknown setting${suggestion(key, known)}`);
    }
  }
  problems.push(...settings.problems, ...subscribers.problems);
  return { settings, subscribers, pluginSettings: [...pluginSettings.values()] };
}

/**
 * Returns the values of the valid settings, a line to print for each, and the files that they name.
 * @param defaults texts that replace the defaults of settings
 */
function parseSettings(given: GivenTexts, defaults: Partial<Record<SettingName, string>>, problems: string[]) {
  const values: Partial<Record<SettingName, unknown>> = {};
  const lines: string[] = [];
  const files: string[] = [];
  for (const name of settingNames) {
    const { parse, defaultText, secret, isFile } = findSetting(name);
    const { text, origin, dir }: GivenText = given.get(name) ?? {
      text: defaults[name] ?? defaultText,
      origin: 'default',
    };
    try {
      const path = isFile ? resolveFile(text, dir) : text;
      const value = parse(path);
      if (isFile && path !== '') files.push(path);
      values[name] = value;
      const isObject = typeof value === 'object' && value !== null;
      const printed = value === undefined ? '' : secret ? '********' : isObject ? text : String(value);
      lines.push(`${name} = ${printed}  # ${origin}`);
    } catch (error) {
      problems.push(settingError(origin, text, secret, error));
    }
  }
  return { values: values as Partial<SettingValues>, lines, files };
}

/** Masks every setting of a plug-in, because only the plug-in knows which of them are secret. */
function maskPluginSetting({ plugin, key, origin }: PluginSetting): string {
  return `plugin.${plugin}.${key} = ********  # ${origin}`;
}

function suggestion(key: string, known: ReadonlyMap<string, Spelling>): string {
  const replacement = describeForeignKey(key);
  if (replacement !== undefined) return `; ${replacement}`;
  const current = [...known].filter(([, { isFormer }]) => !isFormer).map(([name]) => name);
  const nearest = suggestName(key, current);
  return nearest === undefined ? '; --help --all lists all settings' : `; did you mean ${nearest}?`;
}

/** Reads the configuration of the providers. Returns none when there are problems. */
function readProviders(values: Partial<SettingValues>, problems: string[]): readonly SchemeSetting[] {
  const { authenticationProviders = [], ...files } = values;
  const reading = readSchemes([...new Set(authenticationProviders)], files);
  if ('settings' in reading) return reading.settings;
  problems.push(...reading.problems);
  return [];
}
