import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { migratePostgres } from '../../src/engines/postgres/postgres-storage.js';
import { nodeSettings } from '../fixtures/cluster.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { TestService } from '../fixtures/service.js';

describe.skipIf(!hasPostgres)('the interface of two nodes, asked in turns (needs PostgreSQL)', async () => {
  let engine: PostgresEngine;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
    TestService.cluster = {
      async newStorage() {
        const options = engine.newOptions();
        await migratePostgres(options, silentLog, undefined);
        return nodeSettings(options, join(engine.dir, `attachments-${options.schema}`));
      },
    };
  });
  afterAll(async () => {
    TestService.cluster = undefined;
    await engine.stop();
  });

  describe('entries', async () => void (await import('../api/entries.test.js')));
  describe('groups', async () => void (await import('../api/group.test.js')));
  describe('repeated requests', async () => void (await import('../api/idempotency.test.js')));
  describe('catalogue', async () => void (await import('../api/catalog.test.js')));
  describe('drafts', async () => void (await import('../api/drafts.test.js')));
  describe('preferences', async () => void (await import('../api/preferences.test.js')));
  describe('versions', async () => void (await import('../api/versions.test.js')));
  describe('suggestions', async () => void (await import('../api/suggest.test.js')));
  describe('views of the search', async () => void (await import('../api/search-views.test.js')));
  describe('closed logbooks', async () => void (await import('../api/closed-search.test.js')));
});
