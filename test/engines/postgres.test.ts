import { afterAll, beforeAll, describe } from 'vitest';
import { authStoresSuite } from '../contract/auth-stores.suite.js';
import { deviceValuesSuite } from '../contract/device-values.suite.js';
import { draftStoreSuite } from '../contract/draft-store.suite.js';
import { editedDevicesSuite } from '../contract/edited-devices.suite.js';
import { entryWritesSuite } from '../contract/entry-writes.suite.js';
import { eventValuesSuite } from '../contract/event-values.suite.js';
import { importStoreSuite } from '../contract/import-store.suite.js';
import { inboxStoreSuite } from '../contract/inbox-store.suite.js';
import { leaseStoreSuite } from '../contract/lease-store.suite.js';
import { ledgerStoreSuite } from '../contract/ledger-store.suite.js';
import { listedDevicesSuite } from '../contract/listed-devices.suite.js';
import { plotsSuite } from '../contract/plots.suite.js';
import { preferenceStoreSuite } from '../contract/preference-store.suite.js';
import { redactionSuite } from '../contract/redaction.suite.js';
import { repeatStoreSuite } from '../contract/repeat-store.suite.js';
import { checkedRowsSuite, type OpenAlterable } from '../contract/row-verification.suite.js';
import { runSuite } from '../contract/run.suite.js';
import { schemaSuite } from '../contract/schema.suite.js';
import { sharedCommitsSuite } from '../contract/shared-commits.suite.js';
import { signInStateSuite } from '../contract/sign-in-state.suite.js';
import { type StorageEngine, storageSuite } from '../contract/storage.suite.js';
import { subscriberStoreSuite } from '../contract/subscriber-store.suite.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';

describe.skipIf(!hasPostgres)('the engine postgres (needs PostgreSQL)', () => {
  let started: PostgresEngine;
  beforeAll(async () => {
    started = await PostgresEngine.start();
  });
  afterAll(async () => {
    await started.stop();
  });
  const engine: StorageEngine<OpenAlterable> = {
    name: 'postgres',
    supports: { groupCommit: true },
    open: () => started.open(),
  };

  describe('schema', () =>
    schemaSuite({
      async listColumns() {
        const storage = await started.open();
        const columns = await started.query(
          `SELECT table_schema, table_name || '.' || column_name AS name, data_type AS type
           FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
           WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
             AND table_schema = (SELECT max(schemaname) FROM pg_tables WHERE tablename = 'catalog_item')`,
        );
        await storage.destroy();
        return columns.map(({ name, type }) => [String(name), String(type)]);
      },
      names: { 'entry.write': 'entry.write_xid' },
      types: { text: 'text', integer: 'integer', bigint: 'bigint', number: 'bigint', flag: 'boolean' },
      own: [
        ...['schema_version', 'incarnation', 'node', 'lease', 'backup_key'],
        ...['pending_sign_in', 'attempt_in_flight', 'failed_attempt', 'trusted_sign_in'],
      ],
    }));
  describe('storage', () => storageSuite(engine));
  describe('writes that share a commit', () => sharedCommitsSuite(engine));
  describe('sessions, tokens and audit records', () => authStoresSuite(engine));
  describe('drafts', () => draftStoreSuite(engine));
  describe('repeatable writes', () => repeatStoreSuite(engine));
  describe('preferences', () => preferenceStoreSuite(engine));
  describe('watches and inboxes', () => inboxStoreSuite(engine));
  describe('runs', () => runSuite(engine));
  describe('values of devices', () => deviceValuesSuite(engine));
  describe('values of devices that edits add', () => editedDevicesSuite(engine));
  describe('values of devices at events', () => eventValuesSuite(engine));
  describe('values of devices that logbooks list', () => listedDevicesSuite(engine));
  describe('plots in entries', () => plotsSuite(engine));
  describe('subscribers', () => subscriberStoreSuite(engine));
  describe('the sequence of entry writes', () => entryWritesSuite(engine));
  describe('leases', () => leaseStoreSuite(engine));
  describe('imports', () => importStoreSuite(engine));
  describe('ledger', () => ledgerStoreSuite(engine));
  describe('redactions', () => redactionSuite(engine));
  describe('rows with checksums', () => checkedRowsSuite(engine));
  describe('sign-in state', () => signInStateSuite(engine));
});
