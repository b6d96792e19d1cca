import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { indexFormat, indexSort } from '../../src/engines/opensearch/index-mapping.js';
import { searchAlias } from '../../src/engines/opensearch/search-indexes.js';
import { entryDraft } from '../fixtures/entries.js';
import { answeredBy, listening, portOf } from '../fixtures/local-server.js';
import { type IndexedStorage, openIndexed } from '../fixtures/opensearch-engine.js';

type Index = { meta: object; aliases: Set<string>; cursor?: unknown };

/** Speaks as much of OpenSearch as building an index needs. */
let indexes: Map<string, Index>;
let onBulk: () => void;
/** Indexes that are closed but still named, and the number of answers that name them. */
let closed: { readonly named: Map<string, Index>; answers: number };
let server: Server;
let opened: IndexedStorage | undefined;
beforeEach(async () => {
  indexes = new Map();
  onBulk = () => undefined;
  closed = { named: new Map(), answers: 0 };
  const respond = answeredBy(async (request, response) => {
    const [status, body] = answer(request.method ?? '', request.url ?? '', await text(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server = await listening(createServer(respond));
});
afterEach(async () => {
  await opened?.destroy();
  server.closeAllConnections();
  server.close();
});

const alias = searchAlias('logbook', indexFormat);
const missing: [number, object] = [404, { error: { type: 'index_not_found_exception' } }];
const incomplete: [number, object] = [503, { error: { type: 'no_shard_available_action_exception' } }];

function answer(method: string, url: string, body: string): [number, object] {
  const [, name = '', action = ''] = /^\/([^/?]*)\/?([^?]*)/.exec(url) ?? [];
  if (name === '_aliases') return switchAliases(JSON.parse(body).actions);
  if (method === 'PUT' && action === '') {
    const { mappings, aliases } = JSON.parse(body);
    indexes.set(name, { meta: mappings._meta, aliases: new Set(Object.keys(aliases)) });
    return [200, {}];
  }
  const isNamed = ([one, { aliases }]: [string, Index]) =>
    name
      .split(',')
      .some(
        (wanted) =>
          one === wanted || aliases.has(wanted) || (wanted.endsWith('*') && one.startsWith(wanted.slice(0, -1))),
      );
  const hasClosed = closed.answers > 0;
  if (action === '') closed.answers -= 1;
  const found = [...(hasClosed ? closed.named : indexes)].filter(isNamed);
  if (action !== '' && found.some(([one]) => !indexes.has(one))) return incomplete;
  const [first] = found;
  if (!first) return name.endsWith('*') ? [200, {}] : missing;
  if (action === '_bulk') onBulk();
  if (action === '_bulk') return indexes.has(first[0]) ? [200, { errors: false }] : missing;
  if (action === '_refresh') return [200, { _shards: { failed: 0 } }];
  if (action !== '') {
    if (method === 'PUT') first[1].cursor = JSON.parse(body).cursor;
    return first[1].cursor ? [200, { _source: { cursor: first[1].cursor } }] : missing;
  }
  const described = found.map(([one, { meta, aliases }]) => [
    one,
    {
      aliases: Object.fromEntries([...aliases].map((alias) => [alias, {}])),
      mappings: { _meta: meta },
      settings: { index: { uuid: one, sort: indexSort } },
    },
  ]);
  return [200, Object.fromEntries(described)];
}

function switchAliases(actions: { remove_index?: { index: string }; add?: { index: string; alias: string } }[]) {
  if (actions.some((one) => one.remove_index)) closed = { named: structuredClone(indexes), answers: 3 };
  for (const { remove_index: removed, add } of actions) {
    if (removed) indexes.delete(removed.index);
    if (add) indexes.get(add.index)?.aliases.add(add.alias);
  }
  return [200, {}] as [number, object];
}

const open = async () => {
  const port = portOf(server);
  opened = await openIndexed({
    nodes: [`http://127.0.0.1:${port}`],
    indexName: 'logbook',
    credentials: undefined,
    caCertificates: undefined,
    replicas: 0,
    requestTimeoutMs: 10_000,
    maxConnections: 4,
  });
  return opened;
};

test('an index that is removed while it is being built is rebuilt', async () => {
  const { searchIndex, storage } = await open();
  await storage.write((tx) => tx.entries.insert(entryDraft()));
  // The first index is in use, so that nothing but the rebuilding has one that is unfinished.
  await searchIndex.waitUntilIndexed();
  await expect.poll(() => [...indexes.values()].map(({ aliases }) => aliases.has(alias))).toEqual([true]);
  let removals = 0;
  onBulk = () => {
    const unfinished = [...indexes].find(([, { aliases }]) => !aliases.has(alias));
    if (unfinished && removals++ === 0) indexes.delete(unfinished[0]);
  };
  const before = [...indexes.keys()];
  await searchIndex.rebuild().catch(() => undefined);
  await expect.poll(() => [...indexes.keys()].filter((name) => before.includes(name))).toEqual([]);
  await expect.poll(() => removals).toBeGreaterThan(1);
});

test('the successor of a removed index is found although OpenSearch still names the closed one for a moment', async () => {
  const { searchIndex, storage } = await open();
  await searchIndex.waitUntilIndexed();
  for (let n = 0; n < 3; n++) {
    await searchIndex.rebuild();
    const { id } = await storage.write((tx) => tx.entries.insert(entryDraft()));
    await searchIndex.waitFor({ id, revision: 1 });
    expect(closed.answers).toBeLessThanOrEqual(0);
  }
});

test('neither the index of a copy whose name begins in the same way is removed, nor is it taken for an unfinished one', async () => {
  const { searchIndex } = await open();
  const [[, { meta }]] = [...indexes] as [[string, Index]];
  const copy = 'logbook-test-1-abc123';
  indexes.set(copy, { meta, aliases: new Set(['logbook-test', `${copy}-writes`]) });
  await searchIndex.rebuild();
  expect(indexes.get(copy)?.aliases).toEqual(new Set(['logbook-test', `${copy}-writes`]));
  expect(indexes.size).toBe(2);
});
