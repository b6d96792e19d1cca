/** Adds the tables of imported items. */
export const imports = `
  -- Items that imports have stored. state: the progress of the import from a source; see import-store.port.ts.
  CREATE TABLE import_source (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE imported_item (
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    target TEXT NOT NULL,
    version INTEGER NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (source, kind, key)
  ) WITHOUT ROWID;
`;
