import type { StorageOptions } from '../engines/storage-options.js';
import { ConfigurationError } from '../kernel/configuration-error.js';
import type { Log } from '../kernel/log.js';

export interface MigratedStorage {
  readonly version: number;
  /** Location of the tables, without secrets. */
  readonly schemaName: string;
}

/**
 * Creates the tables of the storage, or migrates them to the newest schema. Has no effect if they are current.
 * @param runtimeRole role that receives the rights to run the service, but not to change tables; undefined to grant
 *   none
 * @throws ConfigurationError when the storage migrates itself; Error when its database refuses
 */
export async function migrateStorage(
  options: StorageOptions,
  log: Log,
  runtimeRole: string | undefined,
): Promise<MigratedStorage> {
  if (options.kind === 'embedded') {
    throw new ConfigurationError(
      'storage is “embedded”, which the service migrates itself when it starts. Nothing was changed. For PostgreSQL, set storage = postgres.',
    );
  }
  const { migratePostgres } = await import('../engines/postgres/postgres-storage.js');
  const { database, schema } = options.postgres;
  const { version } = await migratePostgres(options.postgres, log, runtimeRole);
  return { version, schemaName: `the schema ${schema} of the database ${database}` };
}
