import { existsSync } from 'node:fs';
import { readUnchanged } from './database/read-unchanged.js';
import { removeIndex } from './search/index/index-database.js';
import { indexFilesIn } from './search/index/index-files.js';

/** A search index and the store to which it belongs. */
export interface IndexOwner {
  /** Absolute path. */
  readonly file: string;
  readonly storeId: string;
}

/**
 * Lists the search indexes of a data directory with their stores, without changing or creating them. Omits an index
 * that names no store or cannot be read: the next start replaces it.
 */
export async function listIndexOwners(dataDir: string): Promise<IndexOwner[]> {
  const owners: IndexOwner[] = [];
  for (const file of indexFilesIn(dataDir)) {
    const storeId = existsSync(file) ? await readOwner(file) : undefined;
    if (storeId !== undefined) owners.push({ file, storeId });
  }
  return owners;
}

/** Removes the search indexes of all other stores; returns their files. No process may have them open. */
export async function removeForeignIndexes(dataDir: string, storeId: string): Promise<string[]> {
  const foreign = (await listIndexOwners(dataDir)).filter((owner) => owner.storeId !== storeId).map(({ file }) => file);
  for (const file of foreign) removeIndex(file);
  return foreign;
}

async function readOwner(file: string): Promise<string | undefined> {
  try {
    return await readUnchanged(file, (connection) => {
      if (!connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'owner'")) return undefined;
      return connection.get<{ store_id: string }>('SELECT store_id FROM owner')?.store_id;
    });
  } catch {
    return undefined;
  }
}
