import { hash } from 'node:crypto';
import { openSecret, sealSecret } from '../../../auth/sealed-token.js';
import type { BegunSignIn, PendingLimits, PendingSignIns } from '../../../auth/sign-in-state.port.js';
import type { SqlValue } from '../../sql/dialect.js';
import type { ReadPool } from '../database/read-pool.js';
import { runPrepared } from '../database/statements.js';

/**
 * Pending sign-ins of all nodes. Only the browser knows the key: the database stores its hash, and the sign-in
 * encrypted with the key.
 */
export class PostgresPendingSignIns implements PendingSignIns {
  constructor(private readonly pool: ReadPool) {}

  async add(key: string, network: string, begun: BegunSignIn, limits: PendingLimits): Promise<void> {
    const { lifetimeMs, maxTotal, maxPerNetwork } = limits;
    await this.run('DELETE FROM pending_sign_in WHERE expires <= statement_timestamp()');
    await this.run(
      `DELETE FROM pending_sign_in WHERE number IN (
         SELECT number FROM pending_sign_in WHERE network = $1 ORDER BY number DESC OFFSET $2)`,
      network,
      maxPerNetwork - 1,
    );
    await this.run(
      `DELETE FROM pending_sign_in WHERE (SELECT count(*) FROM pending_sign_in) >= $1 AND number = (
         SELECT min(number) FROM pending_sign_in WHERE network = (
           SELECT network FROM pending_sign_in GROUP BY network ORDER BY count(*) DESC, min(number) LIMIT 1))`,
      maxTotal,
    );
    const sql = `INSERT INTO pending_sign_in (key_hash, network, expires, sealed)
       VALUES ($1, $2, statement_timestamp() + $3::bigint * interval '1 millisecond', $4) ON CONFLICT DO NOTHING`;
    await this.run(sql, hashOf(key), network, lifetimeMs, sealSecret(JSON.stringify(begun), key, purpose));
  }

  async take(key: string): Promise<BegunSignIn | undefined> {
    const taken = await this.run(
      `DELETE FROM pending_sign_in WHERE key_hash = $1 RETURNING sealed, expires > statement_timestamp() AS "isValid"`,
      hashOf(key),
    );
    const row = taken.rows[0] as { sealed: string; isValid: boolean } | undefined;
    const begun = row?.isValid ? openSecret(row.sealed, key, purpose) : undefined;
    return begun === undefined ? undefined : (JSON.parse(begun) as BegunSignIn);
  }

  private run(sql: string, ...values: SqlValue[]) {
    return this.pool.use((client) => runPrepared(client, sql, values));
  }
}

const purpose = 'pending sign-in';

function hashOf(key: string): string {
  return hash('sha256', key);
}
