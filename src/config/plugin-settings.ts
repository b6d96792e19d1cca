import { dirname, resolve } from 'node:path';
import type { PluginModule, PluginSetting } from '../plugins/load-plugins.js';
import { splitList } from './setting-types.js';

/**
 * Parses a list of `module` or `name=module`. A plug-in without a name is named after its file or package.
 * @throws Error that states the problem of the list
 */
export function parsePlugins(text: string): PluginModule[] {
  const plugins = splitList(text).map(parsePlugin);
  const names = plugins.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate === undefined) return plugins;
  throw new Error(`two plug-ins are named ${duplicate}: rename one with name=module`);
}

function parsePlugin(item: string): PluginModule {
  const [, given, module = ''] = /^(?:([\w-]+)=)?(.+)$/.exec(item) ?? [];
  const name = given ?? (module.split(/[/\\]/).at(-1) ?? '').replace(/\.[cm]?[jt]s$/, '');
  if (/^[\w-]+$/.test(name)) return { name, module };
  throw new Error(`“${item}” needs a name of letters, digits, _ and -: write name=${module}`);
}

/** Parses a setting `plugin.<name>.<key> = value`; undefined when the key has another form. */
export function findPluginSetting(key: string, value: string, origin: string): PluginSetting | undefined {
  const [, plugin, name] = /^plugin\.([\w-]+)\.(.+)$/.exec(key) ?? [];
  return plugin === undefined || name === undefined ? undefined : { plugin, key: name, value, origin };
}

/**
 * Returns the directories in which plug-in modules are searched: that of the configuration file, then the working
 * directory.
 */
export function pluginDirs(configFile: string | undefined): string[] {
  const workingDir = process.cwd();
  return [...new Set([configFile ? dirname(resolve(configFile)) : workingDir, workingDir])];
}
