import { dirname, resolve } from 'node:path';

/** A module that the setting `plugins` names. */
export interface PluginModuleSetting {
  readonly name: string;
  /** Path of a file, or name of a package. */
  readonly module: string;
}

/** A line `plugin.<name>.<key> = value`. */
export interface PluginSetting {
  readonly plugin: string;
  readonly key: string;
  readonly value: string;
  /** Where it stands, for people. */
  readonly origin: string;
}

/**
 * Reads a list of `module` or `name=module`; without a name a plug-in is called as its file or package is.
 * @throws Error for people
 */
export function parsePlugins(text: string): PluginModuleSetting[] {
  const plugins = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map(parsePlugin);
  const names = plugins.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return plugins;
  throw new Error(`two plug-ins are called ${twice}: call one something else with name=module`);
}

function parsePlugin(item: string): PluginModuleSetting {
  const [, given, module = ''] = /^(?:([\w-]+)=)?(.+)$/.exec(item) ?? [];
  const name = given ?? (module.split(/[/\\]/).at(-1) ?? '').replace(/\.[cm]?[jt]s$/, '');
  if (/^[\w-]+$/.test(name)) return { name, module };
  throw new Error(`“${item}” needs a name of letters, digits, _ and -: write name=${module}`);
}

/** The setting of a plug-in that a line of the configuration is; undefined when it is none. */
export function findPluginSetting(key: string, value: string, origin: string): PluginSetting | undefined {
  const [, plugin, name] = /^plugin\.([\w-]+)\.(.+)$/.exec(key) ?? [];
  return plugin === undefined || name === undefined ? undefined : { plugin, key: name, value, origin };
}

/** Where modules are looked for: beside the configuration file, then in the working directory. */
export function pluginDirs(configFile: string | undefined): string[] {
  const workingDir = process.cwd();
  return [...new Set([configFile ? dirname(resolve(configFile)) : workingDir, workingDir])];
}
