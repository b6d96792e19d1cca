import type { SchemaObject } from '../../../backup/schema-difference.js';

/**
 * Schema objects of a logbook as the PostgreSQL catalog shows them, for detecting changes made by other programs. A
 * test compares this list with the result of the migrations, and prints the latter.
 */
const objects = `
constraint archived_entry_entry_id_fkey = of archived_entry FOREIGN KEY (entry_id) REFERENCES entry(id)
constraint backup_key_one_check = of backup_key CHECK (one)
constraint draft_file_draft_fkey = of draft_file FOREIGN KEY (draft) REFERENCES draft(number)
constraint draft_part_draft_fkey = of draft_part FOREIGN KEY (draft) REFERENCES draft(number)
constraint entry_file_logbook_set_fkey = of entry_file FOREIGN KEY (logbook_set) REFERENCES logbook_set(id)
function drop_former_salts() = CREATE OR REPLACE FUNCTION drop_former_salts() RETURNS trigger LANGUAGE plpgsql AS $function$BEGIN NEW.salts := NULL; RETURN NEW; END$function$
function keep_salts() = CREATE OR REPLACE FUNCTION keep_salts() RETURNS trigger LANGUAGE plpgsql AS $function$BEGIN NEW.salts := (SELECT salts FROM entry WHERE id = NEW.entry_id AND version = NEW.version); RETURN NEW; END$function$
index api_token_pkey = CREATE UNIQUE INDEX api_token_pkey ON api_token USING btree (id)
index api_token_token_hash_key = CREATE UNIQUE INDEX api_token_token_hash_key ON api_token USING btree (token_hash)
index api_token_user = CREATE INDEX api_token_user ON api_token USING btree (user_name, scheme, created_ms)
index archived_entry_pkey = CREATE UNIQUE INDEX archived_entry_pkey ON archived_entry USING btree (entry_id, version)
index archived_entry_unrecorded = CREATE INDEX archived_entry_unrecorded ON archived_entry USING btree (entry_id, version) WHERE (salts IS NULL)
index attachment_checksum = CREATE INDEX attachment_checksum ON attachment USING btree (checksum)
index attachment_entry_pkey = CREATE UNIQUE INDEX attachment_entry_pkey ON attachment_entry USING btree (attachment_id, entry_id)
index attachment_pkey = CREATE UNIQUE INDEX attachment_pkey ON attachment USING btree (id)
index attempt_in_flight_key = CREATE INDEX attempt_in_flight_key ON attempt_in_flight USING btree (key)
index attempt_in_flight_pkey = CREATE UNIQUE INDEX attempt_in_flight_pkey ON attempt_in_flight USING btree (attempt, key)
index audit_action = CREATE INDEX audit_action ON audit USING btree (action, id)
index audit_chain_pkey = CREATE UNIQUE INDEX audit_chain_pkey ON audit_chain USING btree (part)
index audit_outcome = CREATE INDEX audit_outcome ON audit USING btree (outcome, id)
index audit_pkey = CREATE UNIQUE INDEX audit_pkey ON audit USING btree (id)
index audit_time = CREATE INDEX audit_time ON audit USING btree (at_ms)
index audit_user = CREATE INDEX audit_user ON audit USING btree (user_name, id)
index backup_key_pkey = CREATE UNIQUE INDEX backup_key_pkey ON backup_key USING btree (one)
index catalog_item_pkey = CREATE UNIQUE INDEX catalog_item_pkey ON catalog_item USING btree (kind, name)
index change_pkey = CREATE UNIQUE INDEX change_pkey ON change USING btree (sequence)
index dead_letter_pkey = CREATE UNIQUE INDEX dead_letter_pkey ON dead_letter USING btree (id)
index dead_letter_retry = CREATE INDEX dead_letter_retry ON dead_letter USING btree (subscriber, id) WHERE (retry_requested = 1)
index dead_letter_subscriber = CREATE INDEX dead_letter_subscriber ON dead_letter USING btree (subscriber, id)
index deferred_delivery_next = CREATE INDEX deferred_delivery_next ON deferred_delivery USING btree (subscriber, next_attempt_ms, id)
index deferred_delivery_pkey = CREATE UNIQUE INDEX deferred_delivery_pkey ON deferred_delivery USING btree (id)
index draft_file_checksum = CREATE INDEX draft_file_checksum ON draft_file USING btree (checksum) WHERE (checksum IS NOT NULL)
index draft_file_pkey = CREATE UNIQUE INDEX draft_file_pkey ON draft_file USING btree (draft, id)
index draft_modified = CREATE INDEX draft_modified ON draft USING btree (modified_ms)
index draft_part_checksum = CREATE INDEX draft_part_checksum ON draft_part USING btree (checksum)
index draft_part_pkey = CREATE UNIQUE INDEX draft_part_pkey ON draft_part USING btree (draft, file_id, place)
index draft_pkey = CREATE UNIQUE INDEX draft_pkey ON draft USING btree (number)
index draft_user_name_scheme_id_key = CREATE UNIQUE INDEX draft_user_name_scheme_id_key ON draft USING btree (user_name, scheme, id)
index dropped_deliveries_pkey = CREATE UNIQUE INDEX dropped_deliveries_pkey ON dropped_deliveries USING btree (subscriber)
index entry_file_name = CREATE INDEX entry_file_name ON entry_file USING btree (entry_id, filename, version DESC, place)
index entry_file_pkey = CREATE UNIQUE INDEX entry_file_pkey ON entry_file USING btree (entry_id, attachment_id, logbook_set)
index entry_idempotency = CREATE UNIQUE INDEX entry_idempotency ON entry USING btree (owner, idempotency_key) WHERE (idempotency_key IS NOT NULL)
index entry_pkey = CREATE UNIQUE INDEX entry_pkey ON entry USING btree (id)
index entry_unrecorded = CREATE INDEX entry_unrecorded ON entry USING btree (id) WHERE (salts IS NULL)
index entry_write = CREATE INDEX entry_write ON entry USING btree (write_xid, id)
index failed_attempt_expires = CREATE INDEX failed_attempt_expires ON failed_attempt USING btree (expires)
index failed_attempt_key = CREATE INDEX failed_attempt_key ON failed_attempt USING btree (key, at)
index file_text_pkey = CREATE UNIQUE INDEX file_text_pkey ON file_text USING btree (checksum)
index idempotency_key_long = CREATE INDEX idempotency_key_long ON idempotency_key USING btree (user_name, scheme, number) WHERE (octet_length(document) > 64)
index idempotency_key_pkey = CREATE UNIQUE INDEX idempotency_key_pkey ON idempotency_key USING btree (number)
index idempotency_key_time = CREATE INDEX idempotency_key_time ON idempotency_key USING btree (at_ms)
index idempotency_key_user_name_scheme_key_key = CREATE UNIQUE INDEX idempotency_key_user_name_scheme_key_key ON idempotency_key USING btree (user_name, scheme, key)
index import_source_pkey = CREATE UNIQUE INDEX import_source_pkey ON import_source USING btree (name)
index imported_item_pkey = CREATE UNIQUE INDEX imported_item_pkey ON imported_item USING btree (source, kind, key)
index inbox_item_pkey = CREATE UNIQUE INDEX inbox_item_pkey ON inbox_item USING btree (number)
index inbox_item_user = CREATE INDEX inbox_item_user ON inbox_item USING btree (user_name, scheme, number)
index inbox_item_user_name_scheme_sequence_key = CREATE UNIQUE INDEX inbox_item_user_name_scheme_sequence_key ON inbox_item USING btree (user_name, scheme, sequence)
index incarnation_pkey = CREATE UNIQUE INDEX incarnation_pkey ON incarnation USING btree (number)
index lease_pkey = CREATE UNIQUE INDEX lease_pkey ON lease USING btree (name)
index ledger_checkpoint_pkey = CREATE UNIQUE INDEX ledger_checkpoint_pkey ON ledger_checkpoint USING btree (number)
index ledger_record_pkey = CREATE UNIQUE INDEX ledger_record_pkey ON ledger_record USING btree (sequence)
index ledger_record_subject = CREATE INDEX ledger_record_subject ON ledger_record USING btree (subject) WHERE (subject <> ''::text)
index ledger_tile_pkey = CREATE UNIQUE INDEX ledger_tile_pkey ON ledger_tile USING btree (level, "position")
index logbook_set_names_key = CREATE UNIQUE INDEX logbook_set_names_key ON logbook_set USING btree (names)
index logbook_set_pkey = CREATE UNIQUE INDEX logbook_set_pkey ON logbook_set USING btree (id)
index node_pkey = CREATE UNIQUE INDEX node_pkey ON node USING btree (id)
index pending_sign_in_expires = CREATE INDEX pending_sign_in_expires ON pending_sign_in USING btree (expires)
index pending_sign_in_network = CREATE INDEX pending_sign_in_network ON pending_sign_in USING btree (network, number)
index pending_sign_in_pkey = CREATE UNIQUE INDEX pending_sign_in_pkey ON pending_sign_in USING btree (key_hash)
index pending_text_extraction_pkey = CREATE UNIQUE INDEX pending_text_extraction_pkey ON pending_text_extraction USING btree (checksum, entry_id)
index redaction_pkey = CREATE UNIQUE INDEX redaction_pkey ON redaction USING btree (number)
index saved_search_id_key = CREATE UNIQUE INDEX saved_search_id_key ON saved_search USING btree (id)
index saved_search_pkey = CREATE UNIQUE INDEX saved_search_pkey ON saved_search USING btree (number)
index saved_search_shared = CREATE INDEX saved_search_shared ON saved_search USING btree (number) WHERE is_shared
index saved_search_user = CREATE INDEX saved_search_user ON saved_search USING btree (user_name, scheme)
index schema_version_pkey = CREATE UNIQUE INDEX schema_version_pkey ON schema_version USING btree (version)
index session_account = CREATE INDEX session_account ON session USING btree (user_name, scheme, created_ms)
index session_created = CREATE INDEX session_created ON session USING btree (created_ms)
index session_expires = CREATE INDEX session_expires ON session USING btree (expires_ms)
index session_id_key = CREATE UNIQUE INDEX session_id_key ON session USING btree (id)
index session_pkey = CREATE UNIQUE INDEX session_pkey ON session USING btree (token_hash)
index store_pkey = CREATE UNIQUE INDEX store_pkey ON store USING btree (key)
index subscriber_pkey = CREATE UNIQUE INDEX subscriber_pkey ON subscriber USING btree (name)
index template_folded_name_key = CREATE UNIQUE INDEX template_folded_name_key ON template USING btree (folded_name)
index template_pkey = CREATE UNIQUE INDEX template_pkey ON template USING btree (id)
index trusted_sign_in_pkey = CREATE UNIQUE INDEX trusted_sign_in_pkey ON trusted_sign_in USING btree (key)
index trusted_sign_in_used = CREATE INDEX trusted_sign_in_used ON trusted_sign_in USING btree (used)
index unreferenced_file_pkey = CREATE UNIQUE INDEX unreferenced_file_pkey ON unreferenced_file USING btree (checksum)
index user_settings_pkey = CREATE UNIQUE INDEX user_settings_pkey ON user_settings USING btree (user_name, scheme)
index watcher_pkey = CREATE UNIQUE INDEX watcher_pkey ON watcher USING btree (number)
index watcher_user_name_scheme_key = CREATE UNIQUE INDEX watcher_user_name_scheme_key ON watcher USING btree (user_name, scheme)
sequence audit_id_seq =
sequence dead_letter_id_seq =
sequence deferred_delivery_id_seq =
sequence draft_number_seq =
sequence entry_id =
sequence idempotency_key_number_seq =
sequence inbox_item_number_seq =
sequence lease_token =
sequence logbook_set_id_seq =
sequence pending_sign_in_number_seq =
sequence redaction_number_seq =
sequence saved_search_number_seq =
sequence watcher_number_seq =
table api_token = crc bigint NOT NULL, created_ms bigint NOT NULL, document text NOT NULL, id text COLLATE C NOT NULL, scheme text NOT NULL, token_hash text COLLATE C NOT NULL, user_name text NOT NULL
table archived_entry = crc bigint NOT NULL, document text NOT NULL, entry_id bigint NOT NULL, salts text, version integer NOT NULL
table attachment = checksum text COLLATE C NOT NULL, crc bigint NOT NULL, document text NOT NULL, id text COLLATE C NOT NULL, size bigint NOT NULL
table attachment_entry = attachment_id text COLLATE C NOT NULL, entry_id bigint NOT NULL
table attempt_in_flight = attempt text COLLATE C NOT NULL, expires timestamp with time zone NOT NULL, key text COLLATE C NOT NULL, window_ms bigint NOT NULL
table audit = action text NOT NULL, at_ms bigint NOT NULL, crc bigint NOT NULL, document text NOT NULL, hash text, id bigint NOT NULL identity a, outcome text NOT NULL, user_name text NOT NULL
table audit_chain = hash text NOT NULL, id bigint NOT NULL, part text COLLATE C NOT NULL
table backup_key = one boolean NOT NULL DEFAULT true, private_key text NOT NULL
table catalog_item = crc bigint NOT NULL, document text NOT NULL, kind text COLLATE C NOT NULL, name text COLLATE C NOT NULL
table change = at_ms bigint NOT NULL, crc bigint, entry_id bigint NOT NULL, kind text NOT NULL, notify boolean NOT NULL, sequence bigint NOT NULL, version integer NOT NULL
table dead_letter = crc bigint NOT NULL, document text NOT NULL, id bigint NOT NULL identity a, retry_requested integer NOT NULL, subscriber text NOT NULL
table deferred_delivery = crc bigint NOT NULL, document text NOT NULL, id bigint NOT NULL identity a, next_attempt_ms bigint NOT NULL, subscriber text NOT NULL
table draft = crc bigint NOT NULL, document text NOT NULL, id text COLLATE C NOT NULL, modified_ms bigint NOT NULL, number bigint NOT NULL identity a, scheme text NOT NULL, title text, user_name text NOT NULL, version integer NOT NULL
table draft_file = checksum text COLLATE C, crc bigint NOT NULL, document text NOT NULL, draft bigint NOT NULL, id text COLLATE C NOT NULL, place integer NOT NULL, size bigint NOT NULL
table draft_part = checksum text COLLATE C NOT NULL, draft bigint NOT NULL, file_id text COLLATE C NOT NULL, place integer NOT NULL, size bigint NOT NULL
table dropped_deliveries = count bigint NOT NULL, subscriber text NOT NULL
table entry = crc bigint NOT NULL, created_ms bigint NOT NULL, document text NOT NULL, id bigint NOT NULL, idempotency_key text, in_reply_to bigint, owner text NOT NULL, salts text, version integer NOT NULL, write_xid bigint NOT NULL
table entry_file = attachment_id text COLLATE C NOT NULL, entry_id bigint NOT NULL, filename text NOT NULL, logbook_set bigint NOT NULL, place integer NOT NULL, version integer NOT NULL
table failed_attempt = at timestamp with time zone NOT NULL, expires timestamp with time zone NOT NULL, key text COLLATE C NOT NULL
table file_text = checksum text COLLATE C NOT NULL, crc bigint, failure text, text text NOT NULL
table idempotency_key = at_ms bigint NOT NULL, crc bigint NOT NULL, document text NOT NULL, fingerprint text NOT NULL, key text NOT NULL, number bigint NOT NULL identity a, scheme text NOT NULL, user_name text NOT NULL
table import_source = name text COLLATE C NOT NULL, state text NOT NULL
table imported_item = digest text NOT NULL, key text COLLATE C NOT NULL, kind text COLLATE C NOT NULL, source text COLLATE C NOT NULL, target text NOT NULL, version integer NOT NULL
table inbox_item = crc bigint NOT NULL, document text NOT NULL, entry_id bigint NOT NULL, is_read boolean NOT NULL, number bigint NOT NULL identity a, scheme text NOT NULL, sequence bigint NOT NULL, user_name text NOT NULL
table incarnation = first_write bigint NOT NULL, id text NOT NULL, number integer NOT NULL, server text NOT NULL, xid_offset bigint NOT NULL
table lease = expires timestamp with time zone NOT NULL, holder text NOT NULL, name text NOT NULL, token bigint NOT NULL
table ledger_checkpoint = crc bigint NOT NULL, document text NOT NULL, number bigint NOT NULL
table ledger_record = at_ms bigint NOT NULL, digest text NOT NULL, entry_id bigint NOT NULL, kind text NOT NULL, sequence bigint NOT NULL, subject text COLLATE C NOT NULL, version integer NOT NULL
table ledger_tile = hashes text NOT NULL, last_sequence bigint NOT NULL, level integer NOT NULL, position bigint NOT NULL
table logbook_set = id bigint NOT NULL identity a, names text NOT NULL
table node = batch bigint NOT NULL, id text NOT NULL, seen timestamp with time zone NOT NULL
table pending_sign_in = expires timestamp with time zone NOT NULL, key_hash text COLLATE C NOT NULL, network text NOT NULL, number bigint NOT NULL identity a, sealed text NOT NULL
table pending_text_extraction = attempts integer NOT NULL DEFAULT 0, checksum text COLLATE C NOT NULL, content_type text NOT NULL, entry_id bigint NOT NULL
table redaction = crc bigint NOT NULL, document text NOT NULL, number bigint NOT NULL identity a
table saved_search = crc bigint NOT NULL, document text NOT NULL, id text COLLATE C NOT NULL, is_shared boolean NOT NULL, number bigint NOT NULL identity a, scheme text NOT NULL, user_name text NOT NULL
table schema_version = applied timestamp with time zone NOT NULL, usable_from integer NOT NULL, version integer NOT NULL
table session = crc bigint NOT NULL, created_ms bigint NOT NULL, document text NOT NULL, expires_ms bigint NOT NULL, id text COLLATE C NOT NULL, scheme text NOT NULL, token_hash text COLLATE C NOT NULL, user_name text NOT NULL
table store = key text NOT NULL, value text NOT NULL
table subscriber = crc bigint NOT NULL, document text NOT NULL, name text COLLATE C NOT NULL, sequence bigint NOT NULL
table template = crc bigint NOT NULL, document text NOT NULL, folded_name text COLLATE C NOT NULL, id text COLLATE C NOT NULL
table trusted_sign_in = key text COLLATE C NOT NULL, used timestamp with time zone NOT NULL
table unreferenced_file = checksum text COLLATE C NOT NULL, is_quarantined boolean NOT NULL, observed_ms bigint NOT NULL
table user_settings = crc bigint NOT NULL, document text NOT NULL, scheme text NOT NULL, user_name text NOT NULL, version integer NOT NULL
table watcher = crc bigint NOT NULL, document text NOT NULL, number bigint NOT NULL identity a, scheme text NOT NULL, user_name text NOT NULL
trigger archived_entry_with_salts = CREATE TRIGGER archived_entry_with_salts BEFORE INSERT ON archived_entry FOR EACH ROW WHEN ((new.salts IS NULL)) EXECUTE FUNCTION keep_salts()
trigger entry_without_former_salts = CREATE TRIGGER entry_without_former_salts BEFORE UPDATE OF document ON entry FOR EACH ROW WHEN (((new.salts IS NOT NULL) AND (new.salts = old.salts))) EXECUTE FUNCTION drop_former_salts()
`;

export const schemaObjects: readonly SchemaObject[] = objects
  .trim()
  .split('\n')
  .map((line) => {
    const end = line.indexOf(' =');
    return { name: line.slice(0, end), definition: line.slice(end + 2).trim() };
  });
