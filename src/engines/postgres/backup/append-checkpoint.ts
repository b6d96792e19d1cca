import type { Log } from '../../../kernel/log.js';
import { numberTaken } from '../../ledger-rows.js';
import { checksumOf } from '../../stored-document.js';
import { closeClient, Hosts } from '../database/hosts.js';
import type { PostgresOptions } from '../postgres-options.js';

/**
 * Stores a checkpoint in the database of a logbook, whose nodes may run.
 * @throws Error when another checkpoint has the number
 */
export async function appendPostgresCheckpoint(
  options: PostgresOptions,
  { number, document }: { readonly number: number; readonly document: string },
  log: Log,
): Promise<void> {
  const client = await new Hosts(options, log).connect();
  try {
    const sql = 'INSERT INTO ledger_checkpoint (number, document, crc) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
    const { rowCount } = await client.query(sql, [number, document, checksumOf(document)]);
    if (rowCount === 0) throw numberTaken();
  } finally {
    closeClient(client);
  }
}
