import { describe } from 'vitest';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';
import { authStoresSuite } from './auth-stores.suite.js';
import { draftStoreSuite } from './draft-store.suite.js';
import { entryWritesSuite } from './entry-writes.suite.js';
import { leaseStoreSuite } from './lease-store.suite.js';
import { preferenceStoreSuite } from './preference-store.suite.js';
import { repeatStoreSuite } from './repeat-store.suite.js';
import { searchIndexSuite } from './search-index.suite.js';
import { signInStateSuite } from './sign-in-state.suite.js';
import { storageSuite } from './storage.suite.js';
import { subscriberStoreSuite } from './subscriber-store.suite.js';
import { suggestSuite } from './suggest.suite.js';
import { threadSearchSuite } from './thread-search.suite.js';

describe('the engine sqlite', () => {
  describe('storage', () => storageSuite(sqliteEngine));
  describe('sessions, tokens and audit records', () => authStoresSuite(sqliteEngine));
  describe('drafts', () => draftStoreSuite(sqliteEngine));
  describe('repeatable writes', () => repeatStoreSuite(sqliteEngine));
  describe('preferences', () => preferenceStoreSuite(sqliteEngine));
  describe('subscribers', () => subscriberStoreSuite(sqliteEngine));
  describe('the sequence of entry writes', () => entryWritesSuite(sqliteEngine));
  describe('leases', () => leaseStoreSuite(sqliteEngine));
  describe('sign-in state', () => signInStateSuite(sqliteEngine));
  describe('threads and views of the search', () => threadSearchSuite(sqliteEngine));
  describe('suggestions of the search', () => suggestSuite(sqliteEngine));
  describe('search index', () => searchIndexSuite(sqliteEngine));
});
