import { ConfigError } from '../config/load-config.js';
import type { Config } from '../config/settings.js';
import type { Log } from '../kernel/log.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { PluginHost } from '../plugins/plugin-host.js';
import type { CleanupStack } from './cleanup-stack.js';

/** @throws ConfigError when one of them cannot be used */
export async function openPlugins(
  { plugins: modules, pluginSettings, pluginDirs, maxEntrySize }: Config,
  log: Log,
  cleanup: CleanupStack,
): Promise<PluginHost> {
  const { plugins, problems } = await loadPlugins(modules, pluginSettings, pluginDirs, log.child({ part: 'plugins' }));
  const extensions = new PluginHost(plugins, log.child({ part: 'plugins' }), maxEntrySize);
  cleanup.push(() => extensions.close());
  if (problems.length > 0) throw new ConfigError(problems);
  return extensions;
}
