import type { FastifyBaseLogger } from 'fastify';
import { ConfigProblems } from '../config/load-config.js';
import type { Config } from '../config/settings.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { Plugins } from '../plugins/plugin-host.js';
import type { Closers } from './cleanup-stack.js';

/** @throws ConfigProblems when one of them cannot be used */
export async function openPlugins(
  { plugins: modules, pluginSettings, pluginDirs, maxEntrySize }: Config,
  logger: FastifyBaseLogger,
  closers: Closers,
): Promise<Plugins> {
  const { plugins, problems } = await loadPlugins(modules, pluginSettings, pluginDirs, logger);
  const extensions = new Plugins(plugins, logger, maxEntrySize);
  closers.push(() => extensions.close());
  if (problems.length > 0) throw new ConfigProblems(problems);
  return extensions;
}
