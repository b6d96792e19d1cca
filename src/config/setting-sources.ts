import { dirname } from 'node:path';
import { configFileVariable, defaultConfigFileVariable } from '../kernel/command-hint.js';
import { readPropertiesFile } from './properties-file.js';
import type { Spelling } from './setting-names.js';
import { environmentName, findSetting, flagName, listSettingSpellings, settingNames } from './settings.js';

export interface CommandLine {
  /** Values of flags such as `--data-dir DIR`, by the name of the setting. */
  readonly flags: Readonly<Partial<Record<string, string>>>;
  /** Values of `-Dname=value`, whose names are not checked yet. */
  readonly properties: Readonly<Record<string, string>>;
  /** Path of `--config FILE`. */
  readonly configFile: string | undefined;
  /**
   * Whether the evaluation users may sign in unless the settings name other providers. A trial also ignores the
   * configuration file of the installed service. Default: true.
   */
  readonly isTrial?: boolean;
}

export interface SettingSource {
  readonly values: Readonly<Record<string, string>>;
  /** Names that this source may contain; others are reported as mistakes. */
  readonly known: ReadonlyMap<string, Spelling>;
  readonly describe: (key: string) => string;
  /** Directory of the source if it is a file; undefined otherwise. */
  readonly dir?: string;
  /** Whether the source may contain settings of subscribers. */
  readonly hasSubscribers: boolean;
}

/** Files and `-D` also accept a name as written in its flag, such as admin-groups. */
const inFiles = listSettingSpellings(
  (name) => name,
  (name) => flagName(name).slice(2),
);

export function flagSource({ flags }: CommandLine): SettingSource {
  const given = Object.entries(flags).filter((flag): flag is [string, string] => flag[1] !== undefined);
  return {
    values: Object.fromEntries(given),
    known: listSettingSpellings((name) => name),
    describe: flagName,
    hasSubscribers: false,
  };
}

export function propertySource({ properties }: CommandLine): SettingSource {
  return { values: properties, known: inFiles, describe: (key) => `-D${key}`, hasSubscribers: true };
}

const fileVariables = [configFileVariable, defaultConfigFileVariable];
/** Variables of the Python client, which may be set for all programs of a user. */
const clientVariables = ['URL', 'TOKEN', 'USER', 'PASSWORD', 'SPOOL', 'LOGBOOKS'].map((name) => `LOGBOOK_${name}`);
const otherVariables = new Set([...fileVariables, ...clientVariables]);

export function environmentSource(environment: NodeJS.ProcessEnv): SettingSource {
  const known = listSettingSpellings(environmentName);
  for (const name of settingNames) {
    if (findSetting(name).bareEnvironmentName) known.set(name, { name, used: name, isFormer: false });
  }
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(environment)) {
    const isOurs = known.has(key) || (key.startsWith('LOGBOOK_') && !otherVariables.has(key));
    // An empty variable counts as not set.
    if (isOurs && value) values[key] = value;
  }
  return { values, known, describe: (key) => `environment variable ${key}`, hasSubscribers: false };
}

/** @param advice sentence added to the error when the file cannot be read */
export function fileSource(file: string | undefined, problems: string[], advice = ''): SettingSource {
  const source = { values: {}, known: inFiles, describe: (key: string) => `${key} in ${file}`, hasSubscribers: true };
  if (file === undefined || file === '') return source;
  try {
    return { ...source, dir: dirname(file), values: readPropertiesFile(file) };
  } catch (error) {
    problems.push(`configuration file ${file}: ${(error as Error).message}${advice}`);
    return source;
  }
}
