import { resolve } from 'node:path';
import { pino } from 'pino';
import { rebuildSearchIndex } from '../app/start-service.js';
import type { LoadedConfig } from '../config/load-config.js';

const tellEveryMs = 5_000;

/** Makes the search index anew and says how far it is. */
export async function rebuildIndex({ config }: LoadedConfig): Promise<void> {
  const logger = pino({ level: config.logLevel, base: null }, pino.destination({ fd: 2, sync: true }));
  let toldMs = performance.now();
  await rebuildSearchIndex(resolve(config.dataDir), logger, (indexed, all) => {
    if (indexed < all && performance.now() - toldMs < tellEveryMs) return;
    toldMs = performance.now();
    console.log(`${indexed} of ${all} writes are in the index.`);
  });
  console.log('The search index is complete.');
}
