import type { Connection } from '../connection.js';

const tables = `
  -- The sets of logbooks that versions with files are in: the names, sorted, as a JSON array.
  CREATE TABLE logbook_set (id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE);
  -- The files that an entry shows, or did before an edit. version: the newest one that shows the file while it is in
  -- these logbooks; place: the position of the file in that version.
  CREATE TABLE entry_file (
    entry_id INTEGER NOT NULL,
    filename TEXT NOT NULL,
    attachment_id TEXT NOT NULL,
    logbook_set INTEGER NOT NULL REFERENCES logbook_set (id),
    version INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (entry_id, attachment_id, logbook_set)
  ) WITHOUT ROWID;
  CREATE INDEX entry_file_name ON entry_file (entry_id, filename, version DESC, place);
`;

/**
 * Adds the tables for the files of entries without reading the entries. A job of the running service fills them, see
 * fill-entry-files.ts.
 */
export function addEntryFiles(connection: Connection): void {
  connection.exec(tables);
  if (!connection.get('SELECT 1 FROM attachment_entry LIMIT 1')) return;
  connection.exec('CREATE INDEX attachment_entry_fill ON attachment_entry (entry_id)');
  connection.run(`INSERT INTO store (key, value) VALUES ('entry-files', '{"entryId":0,"version":0}')`);
}
