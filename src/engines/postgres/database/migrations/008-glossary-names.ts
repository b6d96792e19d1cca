import type { Migration } from '../migration.js';

/** Renames tables, columns and indexes to the terms of the glossary. Earlier programs do not know these names. */
export const glossaryNames: Migration = {
  usableFrom: 8,
  sql: `
  ALTER TABLE follower RENAME TO subscriber;
  ALTER INDEX follower_pkey RENAME TO subscriber_pkey;
  ALTER TABLE dead_letter RENAME COLUMN follower TO subscriber;
  ALTER TABLE dead_letter RENAME COLUMN again TO retry_requested;
  ALTER INDEX dead_letter_follower RENAME TO dead_letter_subscriber;
  ALTER INDEX dead_letter_again RENAME TO dead_letter_retry;
  ALTER TABLE deferred_delivery RENAME COLUMN follower TO subscriber;
  ALTER TABLE dropped_letters RENAME TO dropped_deliveries;
  ALTER TABLE dropped_deliveries RENAME COLUMN follower TO subscriber;
  ALTER INDEX dropped_letters_pkey RENAME TO dropped_deliveries_pkey;
  ALTER TABLE unread_file RENAME TO pending_text_extraction;
  ALTER INDEX unread_file_pkey RENAME TO pending_text_extraction_pkey;
  ALTER TABLE repeatable_write RENAME TO idempotency_key;
  ALTER SEQUENCE repeatable_write_number_seq RENAME TO idempotency_key_number_seq;
  ALTER INDEX repeatable_write_pkey RENAME TO idempotency_key_pkey;
  ALTER INDEX repeatable_write_user_name_scheme_key_key RENAME TO idempotency_key_user_name_scheme_key_key;
  ALTER INDEX repeatable_write_time RENAME TO idempotency_key_time;
  ALTER INDEX repeatable_write_long RENAME TO idempotency_key_long;
`,
};
