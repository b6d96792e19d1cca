import type { LeaseCheck, LeaseStore } from '../../../kernel/lease.port.js';
import { leaseLost } from '../../../kernel/local-leases.js';
import type { Statements } from '../../sql/statements.port.js';

/** SQL for the end of a lease, by the clock of the database server. */
const until = "statement_timestamp() + $3::bigint * interval '1 millisecond'";

export function leaseStore(connection: Statements): LeaseStore {
  return {
    async acquire(name, holder, durationMs) {
      const row = await connection.get<{ token: number }>(
        `INSERT INTO lease (name, token, holder, expires) VALUES ($1, nextval('lease_token'), $2, ${until})
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires,
           token = CASE WHEN lease.expires <= statement_timestamp() THEN excluded.token ELSE lease.token END
         WHERE lease.expires <= statement_timestamp() OR lease.holder = excluded.holder
         RETURNING token`,
        name,
        holder,
        durationMs,
      );
      return row?.token;
    },
    async renew(name, token, durationMs) {
      const sql = `UPDATE lease SET expires = ${until} WHERE name = $1 AND token = $2 AND expires > '-infinity'`;
      return (await connection.run(sql, name, token, durationMs)) > 0;
    },
    async release(name, token) {
      const sql = `UPDATE lease SET expires = '-infinity' WHERE name = $1 AND token = $2 AND expires > '-infinity'`;
      return (await connection.run(sql, name, token)) > 0;
    },
  };
}

export function leaseCheck(connection: Statements): LeaseCheck {
  return {
    async require(name, token) {
      // Until the end of the transaction, no other node can acquire the lease.
      const sql = `SELECT 1 FROM lease WHERE name = $1 AND token = $2 AND expires > '-infinity' FOR SHARE`;
      if (!(await connection.get(sql, name, token))) throw leaseLost(name);
    },
  };
}
