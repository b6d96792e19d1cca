import type { Migration } from '../migration.js';

/** Index of the results of writes that count towards a limit. */
export const longResults: Migration = {
  usableFrom: 1,
  sql: `
  -- See repeat-limits.ts.
  CREATE INDEX repeatable_write_long ON repeatable_write (user_name, scheme, number) WHERE octet_length(document) > 64;
`,
};
