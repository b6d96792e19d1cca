import type { Dialect } from '../../sql/dialect.js';
import { inFinalOrder } from './incarnation.js';

export const postgresDialect: Dialect = {
  isShared: true,
  isRemote: true,
  readTogetherBytes: 262_144,
  inFinalOrder,
  forUpdate: 'FOR UPDATE',
  withGivenNumbers: 'OVERRIDING SYSTEM VALUE',
  lock: 'SELECT pg_advisory_xact_lock(hashtextextended(CAST(? AS text) || current_schema(), 0))',
  nextAuditIds: "SELECT nextval(pg_get_serial_sequence('audit', 'id')) AS id FROM generate_series(1, ?)",
  isIn: (column, type, value = '?') => `${column} = ANY(${value}::${type}[])`,
  isSet: (column) => column,
  records(name, columns) {
    const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
    return `json_to_recordset(?::json) AS ${name} (${types.join(', ')})`;
  },
  textOf: (value) => value,
  bytesOf: (column) => column,
};
