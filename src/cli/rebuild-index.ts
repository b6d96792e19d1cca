import { pino } from 'pino';
import { keepOwner } from '../app/keep-owner.js';
import { rebuildSearchIndex } from '../app/rebuild-index.js';
import type { LoadedConfig } from '../config/load-config.js';
import { counted } from '../kernel/text.js';
import { commandDestination } from './command-log.js';

const progressIntervalMs = 5_000;

/** Rebuilds the search index and prints the progress. */
export async function rebuildIndex({ options, logLevel }: LoadedConfig, stop: AbortSignal): Promise<void> {
  // Information is not logged, because the progress already reports success.
  const level = logLevel === 'info' ? 'warn' : logLevel;
  const log = pino({ level, base: null }, commandDestination());
  const { dataDir } = options.storage;
  let lastReportMs = performance.now();
  const reportProgress = (indexed: number, all: number) => {
    if (indexed < all && performance.now() - lastReportMs < progressIntervalMs) return;
    lastReportMs = performance.now();
    console.log(`${indexed} of ${counted(all, 'write')} in the index.`);
  };
  try {
    await keepOwner({ ownedBy: [dataDir], written: [dataDir] }, () =>
      rebuildSearchIndex(options.storage, { log, onProgress: reportProgress, signal: stop }),
    );
    console.log('The search index is complete.');
  } catch (error) {
    if (!stop.aborted || error !== stop.reason) throw error;
    process.exitCode = 1;
    console.error('The search index is not complete. The service completes it when it runs, as does rebuild-index.');
  }
}
