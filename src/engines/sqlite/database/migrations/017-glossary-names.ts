/** Renames tables, columns and indexes to the terms of the glossary. */
export const glossaryNames = `
  ALTER TABLE follower RENAME TO subscriber;
  ALTER TABLE dead_letter RENAME COLUMN follower TO subscriber;
  ALTER TABLE dead_letter RENAME COLUMN again TO retry_requested;
  DROP INDEX dead_letter_follower;
  DROP INDEX dead_letter_again;
  CREATE INDEX dead_letter_subscriber ON dead_letter (subscriber, id);
  CREATE INDEX dead_letter_retry ON dead_letter (subscriber, id) WHERE retry_requested = 1;
  ALTER TABLE deferred_delivery RENAME COLUMN follower TO subscriber;
  ALTER TABLE dropped_letters RENAME TO dropped_deliveries;
  ALTER TABLE dropped_deliveries RENAME COLUMN follower TO subscriber;
  ALTER TABLE unread_file RENAME TO pending_text_extraction;
  ALTER TABLE late_entry RENAME TO backdated_entry;
  ALTER TABLE repeatable_write RENAME TO idempotency_key;
  DROP INDEX repeatable_write_time;
  DROP INDEX repeatable_write_long;
  CREATE INDEX idempotency_key_time ON idempotency_key (at_ms);
  CREATE INDEX idempotency_key_long ON idempotency_key (user_name, scheme, number) WHERE octet_length(document) > 64;
`;
