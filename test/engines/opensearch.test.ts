import { afterAll, beforeAll, describe } from 'vitest';
import { groupSearchSuite } from '../contract/group-search.suite.js';
import { searchIndexSuite } from '../contract/search-index.suite.js';
import { similarSuite } from '../contract/similar.suite.js';
import { suggestSuite } from '../contract/suggest.suite.js';
import { openIndexed } from '../fixtures/opensearch-engine.js';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';

describe.skipIf(!hasOpenSearch)('the search in OpenSearch (needs OpenSearch 2 and Java)', () => {
  let server: OpenSearchServer;
  beforeAll(async () => {
    server = await OpenSearchServer.start();
  });
  afterAll(async () => {
    await server.stop();
  });
  const searchable = {
    name: 'opensearch',
    supports: { groupCommit: true },
    open: () => openIndexed(server.newOptions()),
  };

  describe('threads and views of the search', () => groupSearchSuite(searchable));
  describe('suggestions of the search', () => suggestSuite(searchable));
  describe('similar entries', () => similarSuite(searchable));
  describe('search index', () => searchIndexSuite(searchable));
});
