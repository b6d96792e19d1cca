import { ConfigError } from '../config/config-error.js';
import type { PluginOptions } from '../config/service-options.js';
import type { Log } from '../kernel/log.js';
import { PluginHost } from '../plugins/plugin-host.js';
import type { CleanupStack } from './cleanup-stack.js';

/**
 * Opens the configured plug-ins.
 * @param maxPropertyBytes maximum size of the provided properties of an entry, in bytes of JSON
 * @throws ConfigError when a plug-in cannot be used; `cleanup` closes those already loaded
 */
export async function openPlugins(
  { modules, settings, dirs }: PluginOptions,
  maxPropertyBytes: number,
  log: Log,
  cleanup: CleanupStack,
): Promise<PluginHost> {
  const pluginLog = log.child({ part: 'plugins' });
  const isConfigured = modules.length > 0 || settings.length > 0;
  const { plugins, problems } = isConfigured
    ? await (await import('../plugins/load-plugins.js')).loadPlugins(modules, settings, dirs, pluginLog)
    : { plugins: [], problems: [] };
  const host = cleanup.use(new PluginHost(plugins, pluginLog, maxPropertyBytes));
  if (problems.length > 0) throw new ConfigError(problems);
  return host;
}
