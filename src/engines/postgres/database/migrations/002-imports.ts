import type { Migration } from '../migration.js';

/** Tables of imported items. */
export const imports: Migration = {
  usableFrom: 1,
  sql: `
  -- Items that imports have stored. state: the progress of the import from a source; see import-store.port.ts.
  CREATE TABLE import_source (name text COLLATE "C" PRIMARY KEY, state text NOT NULL);
  CREATE TABLE imported_item (
    source text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    target text NOT NULL,
    version integer NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (source, kind, key)
  );
`,
};
