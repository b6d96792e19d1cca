/** Indexes the results of writes that count towards a limit. */
export const longResults = `
  -- See repeat-limits.ts.
  CREATE INDEX repeatable_write_long ON repeatable_write (user_name, scheme, number) WHERE octet_length(document) > 64;
`;
