import type { Log } from '../../../kernel/log.js';
import { closeClient, Hosts } from '../database/hosts.js';
import type { PostgresOptions } from '../postgres-options.js';

export interface SharedKey {
  /** Private key in PEM. */
  readonly privateKey: string;
  readonly isNew: boolean;
}

/**
 * Returns the key with which all nodes sign backups.
 * @param create creates a PEM private key, which is stored if there is none yet
 */
export async function shareBackupKey(options: PostgresOptions, log: Log, create: () => string): Promise<SharedKey> {
  const client = await new Hosts(options, log).connect();
  try {
    const find = async () => {
      const { rows } = await client.query<{ private_key: string }>('SELECT private_key FROM backup_key');
      return rows[0]?.private_key;
    };
    const found = await find();
    if (found !== undefined) return { privateKey: found, isNew: false };
    const created = create();
    // If two nodes do this at the same time, only one key is stored.
    await client.query('INSERT INTO backup_key (private_key) VALUES ($1) ON CONFLICT DO NOTHING', [created]);
    const privateKey = (await find()) ?? created;
    return { privateKey, isNew: privateKey === created };
  } finally {
    closeClient(client);
  }
}
