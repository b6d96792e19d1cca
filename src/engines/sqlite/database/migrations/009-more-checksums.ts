/** Adds checksums of the documents of accounts and subscribers. */
export const moreChecksums = `
  ALTER TABLE session ADD COLUMN crc INTEGER;
  ALTER TABLE api_token ADD COLUMN crc INTEGER;
  ALTER TABLE audit ADD COLUMN crc INTEGER;
  ALTER TABLE follower ADD COLUMN crc INTEGER;
  ALTER TABLE dead_letter ADD COLUMN crc INTEGER;
  ALTER TABLE deferred_delivery ADD COLUMN crc INTEGER;
`;
