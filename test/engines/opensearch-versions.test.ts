import { expect, onTestFinished, test } from 'vitest';
import { checkOpenSearch } from '../../src/engines/opensearch/check-opensearch.js';
import { JsonServer } from '../fixtures/json-server.js';
import { silentLog } from '../fixtures/log.js';

test.each([
  ['opensearch', '1.3.20', 'OpenSearch 1.3.20'],
  ['opensearch', '3.0.0', 'OpenSearch 3.0.0'],
  ['opensearch', '20.0.0', 'OpenSearch 20.0.0'],
  [undefined, '2.4.6', 'Elasticsearch 2.4.6'],
])('a cluster with a version other than OpenSearch 2 is a problem: %s %s', async (distribution, number, shown) => {
  const version = { number, distribution };
  const server = await JsonServer.start('', () => ({ cluster_name: 'one', cluster_uuid: 'one', version }));
  onTestFinished(() => server.stop());
  const options = {
    ...{ nodes: [server.url], indexName: 'logbook', credentials: undefined, caCertificates: undefined },
    ...{ replicas: 1, requestTimeoutMs: 60_000, maxConnections: 1 },
  };
  expect(await checkOpenSearch(options, silentLog)).toEqual([
    { isProblem: true, text: `${shown} at ${server.url} is not supported. Use OpenSearch 2.` },
  ]);
});
