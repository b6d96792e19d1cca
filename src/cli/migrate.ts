import { pino } from 'pino';
import { migrateStorage } from '../app/migrate-storage.js';
import type { LoadedConfig } from '../config/load-config.js';
import { commandDestination } from './command-log.js';

/** Updates the tables of the storage to the newest schema, and prints its version. */
export async function migrate({ options, logLevel }: LoadedConfig, grantTo: string | undefined): Promise<void> {
  // Warnings are logged, because they report that the command waits for tables in use.
  const level = logLevel === 'debug' ? logLevel : 'warn';
  const log = pino({ level, base: null }, commandDestination());
  const { version, schemaName } = await migrateStorage(options.storage, log, grantTo);
  console.log(`The tables in ${schemaName} have the schema version ${version}.`);
  if (grantTo !== undefined) console.log(`The role ${grantTo} may run the service on them.`);
}
