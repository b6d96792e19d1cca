import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolve as resolvePackage } from 'import-meta-resolve';
import type { Log } from '../kernel/log.js';
import type { NamedPlugin, Plugin, PluginFactory, PluginLog } from './plugin.js';
import { withinTime } from './with-timeout.js';

/** A plug-in as the configuration names it. */
export interface PluginModule {
  readonly name: string;
  /** Path of a file, or name of a package. */
  readonly module: string;
}

export interface PluginSetting {
  readonly plugin: string;
  readonly key: string;
  readonly value: string;
  /** Where it stands, for people. */
  readonly origin: string;
}

const loadLimitMs = 30_000;
const parts = ['propertyProvider', 'notifier', 'close'] as const;

/**
 * Loads the plug-ins one after the other; what is wrong with them is a line each, for people.
 * @param dirs absolute; where modules are looked for, in this order
 */
export async function loadPlugins(
  modules: readonly PluginModule[],
  settings: readonly PluginSetting[],
  dirs: readonly string[],
  log: Log,
): Promise<{ plugins: NamedPlugin[]; problems: string[] }> {
  const plugins: NamedPlugin[] = [];
  const problems: string[] = [];
  for (const { name, module } of modules) {
    try {
      const url = findModule(module, dirs);
      const own = Object.fromEntries(settings.filter(({ plugin }) => plugin === name).map((s) => [s.key, s.value]));
      plugins.push({ name, plugin: await withinTime(loadLimitMs, () => load(url, name, own, log)) });
    } catch (error) {
      log.debug({ err: error, plugin: name }, 'a plug-in cannot be used');
      problems.push(`plug-in ${name} (${module}): ${firstLine(error)}`);
    }
  }
  const names = modules.map(({ name }) => name);
  for (const { plugin, origin } of settings) {
    if (!names.includes(plugin)) problems.push(`${origin}: no plug-in is called ${plugin}; see the setting plugins`);
  }
  return { plugins, problems };
}

function findModule(module: string, dirs: readonly string[]): string {
  for (const dir of dirs) {
    const file = resolve(dir, module);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return pathToFileURL(file).href;
  }
  let problem: unknown;
  for (const dir of /^[./]/.test(module) ? [] : dirs) {
    try {
      return resolvePackage(module, pathToFileURL(join(dir, 'plugins')).href);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') problem = error;
    }
  }
  throw problem ?? new Error(`there is no such file or package in ${dirs.join(' or ')}`);
}

async function load(url: string, name: string, settings: Readonly<Record<string, string>>, log: Log): Promise<Plugin> {
  const exported = ((await import(url)) as { default?: unknown }).default;
  const made: unknown =
    typeof exported === 'function'
      ? await (exported as PluginFactory)({ name, settings, log: logOf(name, log) })
      : exported;
  if (typeof made !== 'object' || made === null) {
    throw new Error('its default export is neither a plug-in nor a function that makes one');
  }
  for (const part of parts) {
    const given: unknown = (made as Plugin)[part];
    if (given !== undefined && typeof given !== 'function') throw new Error(`its ${part} is not a function`);
  }
  const plugin = made as Plugin;
  if (!plugin.propertyProvider && !plugin.notifier) {
    throw new Error('it has neither a propertyProvider nor a notifier');
  }
  return plugin;
}

function logOf(plugin: string, log: Log): PluginLog {
  const write = (level: 'info' | 'warn' | 'error') => (message: string, details?: object) =>
    log[level](details instanceof Error ? { plugin, err: details } : { ...details, plugin }, String(message));
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}` : error;
  return String(text).split('\n', 1)[0] ?? '';
}
