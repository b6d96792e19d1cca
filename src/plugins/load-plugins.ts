import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolve as resolvePackage } from 'import-meta-resolve';
import { callContained, describeThrown } from '../kernel/contained-calls.js';
import type { Log } from '../kernel/log.js';
import { withTimeout } from '../kernel/with-timeout.js';
import type { NamedPlugin, Plugin, PluginFactory, PluginLog } from './plugin.js';

/** A plug-in as named in the configuration. */
export interface PluginModule {
  readonly name: string;
  /** Path of a file or name of a package. */
  readonly module: string;
}

export interface PluginSetting {
  readonly plugin: string;
  readonly key: string;
  readonly value: string;
  /** Location of the setting, for messages. */
  readonly origin: string;
}

const loadLimitMs = 30_000;
const members = ['propertyProvider', 'notifier', 'close'] as const;

/**
 * Loads the plug-ins one after the other. Returns those that loaded, and a one-line message for each problem.
 * @param dirs absolute paths of the directories to search for modules, in this order
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
      const pluginSettings = Object.fromEntries(
        settings.filter(({ plugin }) => plugin === name).map((s) => [s.key, s.value]),
      );
      const plugin = await withTimeout(loadLimitMs, () =>
        callContained({ name, url }, () => load(url, name, pluginSettings, log)),
      );
      plugins.push({ name, url, plugin });
    } catch (thrown) {
      const error = describeThrown(thrown);
      log.debug({ err: error, plugin: name }, 'loading a plug-in failed');
      problems.push(`plug-in ${name} (${module}): ${firstLine(error)}`);
    }
  }
  const names = modules.map(({ name }) => name);
  for (const { plugin, origin } of settings) {
    if (!names.includes(plugin))
      problems.push(`${origin}: there is no plug-in named ${plugin}; check the setting plugins`);
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
  throw problem ?? new Error(`file or package not found in ${dirs.join(' or ')}`);
}

async function load(url: string, name: string, settings: Readonly<Record<string, string>>, log: Log): Promise<Plugin> {
  const exported = ((await import(url)) as { default?: unknown }).default;
  const plugin: unknown =
    typeof exported === 'function'
      ? await (exported as PluginFactory)({ name, settings, log: toPluginLog(name, log) })
      : exported;
  if (typeof plugin !== 'object' || plugin === null) {
    throw new Error('its default export is neither a plug-in nor a function that returns one');
  }
  for (const key of members) {
    const member: unknown = (plugin as Plugin)[key];
    if (member !== undefined && typeof member !== 'function') throw new Error(`its ${key} is not a function`);
  }
  const loaded = plugin as Plugin;
  if (!loaded.propertyProvider && !loaded.notifier) {
    throw new Error('it has neither a propertyProvider nor a notifier');
  }
  return loaded;
}

function toPluginLog(plugin: string, log: Log): PluginLog {
  const write = (level: 'info' | 'warn' | 'error') => (message: string, details?: object) =>
    log[level](details instanceof Error ? { plugin, err: details } : { ...details, plugin }, String(message));
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

function firstLine({ name, message }: Error): string {
  return `${name === 'Error' ? '' : `${name}: `}${message}`.split('\n', 1)[0] ?? '';
}
