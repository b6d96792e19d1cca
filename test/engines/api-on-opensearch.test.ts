import { afterAll, beforeAll, describe } from 'vitest';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { useTwoNodes } from '../fixtures/two-nodes.js';

describe.skipIf(!hasPostgres || !hasOpenSearch)(
  'the interface of two nodes with index=opensearch (needs PostgreSQL, OpenSearch 2 and Java)',
  async () => {
    let server: OpenSearchServer;
    beforeAll(async () => {
      server = await OpenSearchServer.start();
    });
    afterAll(() => server.stop());
    const settings = () => ({
      index: 'opensearch',
      opensearchNodes: server.node,
      opensearchIndex: server.newOptions().indexName,
      opensearchReplicas: '0',
    });
    useTwoNodes({ settings, leftOut: {} });

    describe('similar entries', async () => void (await import('../api/similar.test.js')));
  },
);
