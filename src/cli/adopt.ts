import { pino } from 'pino';
import { adoptDataDir } from '../app/adopt-data-dir.js';
import type { LoadedConfig } from '../config/load-config.js';

/** Records that the parts of the data directory belong together, and prints what is in it. */
export async function adopt({ options, logLevel }: LoadedConfig, newLogbook: boolean): Promise<void> {
  const log = pino({ level: logLevel, base: null }, pino.destination({ fd: 2, sync: true }));
  const { storeId, entries, attachments } = await adoptDataDir(options.storage, { newLogbook, log });
  console.log(`${options.storage.dataDir} belongs to the logbook ${storeId}.`);
  console.log(`Its highest entry id is ${entries}; it has ${attachments} attachments. Start the service now.`);
}
