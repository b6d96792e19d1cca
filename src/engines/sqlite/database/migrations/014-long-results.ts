import type { Connection } from '../connection.js';

const tables = `
  -- See repeat-limits.ts.
  CREATE INDEX repeatable_write_long ON repeatable_write (user_name, scheme, number) WHERE octet_length(document) > 64;
`;

/** Indexes the results of writes that count towards a limit. */
export function indexLongResults(connection: Connection): void {
  connection.exec(tables);
}
