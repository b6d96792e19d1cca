import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { expectNotFoundOnceRedacted } from '../fixtures/redacted-search.js';
import { TestService } from '../fixtures/service.js';
import { clusterOn } from '../fixtures/two-nodes.js';

describe.skipIf(!hasPostgres)('two nodes, asked alternately (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(async () => {
    TestService.cluster = undefined;
    await engine.stop();
  });

  async function expectNotFound(settings: Readonly<Record<string, string>>): Promise<void> {
    TestService.cluster = clusterOn(engine, { settings: () => settings });
    const logbook = await TestService.start();
    await expectNotFoundOnceRedacted(logbook);
    await logbook.stop();
  }

  test('find nothing of what was redacted as soon as the redaction is answered', async () => {
    await expectNotFound({});
  });

  test.skipIf(!hasOpenSearch)('nor with index=opensearch (needs OpenSearch 2 and Java)', async () => {
    const server = await OpenSearchServer.start();
    const { indexName } = server.newOptions();
    await expectNotFound({
      ...{ index: 'opensearch', opensearchNodes: server.node, opensearchIndex: indexName, opensearchReplicas: '0' },
    });
    await server.stop();
  });
});
