import type { EmbeddedOptions, StorageOptions } from '../engines/storage-options.js';

/**
 * Returns the options of the embedded storage.
 * @throws Error for another storage, on which the service does not run yet
 */
export function requireEmbedded(options: StorageOptions): EmbeddedOptions {
  if (options.kind === 'embedded') return options;
  throw new Error(
    'storage is “postgres”, on which this version of the service does not run yet: it can create the tables (logbook migrate), but has no search index that follows PostgreSQL. Use storage=embedded.',
  );
}
