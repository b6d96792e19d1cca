/** Adds checksums of documents, and observations of files. */
export const fileCareAndChecksums = `
  -- crc: see stored-document.ts.
  ALTER TABLE entry ADD COLUMN crc INTEGER;
  ALTER TABLE archived_entry ADD COLUMN crc INTEGER;
  ALTER TABLE attachment ADD COLUMN crc INTEGER;
  ALTER TABLE template ADD COLUMN crc INTEGER;
  ALTER TABLE catalog_item ADD COLUMN crc INTEGER;

  -- Files that no attachment refers to. observed_ms: time for which the service has observed this, over all its runs.
  CREATE TABLE unreferenced_file (
    checksum TEXT PRIMARY KEY,
    is_quarantined INTEGER NOT NULL,
    observed_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  -- failure: why the text could not be extracted.
  ALTER TABLE file_text ADD COLUMN failure TEXT;
`;
