import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogKind } from '../../src/catalog/catalog.js';
import { ServiceImportSource } from '../../src/integrations/logbook-service/service-import-source.js';
import { ImportTarget } from '../fixtures/import-archive.js';
import { OlogServer } from '../fixtures/olog-server.js';
import { TestService } from '../fixtures/service.js';

let olog: OlogServer;
let destination: ImportTarget;
beforeEach(async () => {
  olog = await OlogServer.start();
  destination = await ImportTarget.open();
});
afterEach(async () => {
  await olog.stop();
  await destination.close();
});

async function bring(url = olog.url) {
  const address = { url: new URL(url), headers: {}, caCertificates: undefined, requestsPerSecond: 100_000 };
  const source = new ServiceImportSource({ ...address, timeoutMs: 600_000 });
  const { report, reconciliation } = await destination.bring(source);
  const problems = report.problems.map(({ kind, key, text }) => `${kind} ${key}: ${text}`);
  return { problems, remarks: report.remarks.map(({ text }) => text), differences: reconciliation.differences };
}

const find = (kind: CatalogKind, name: string) => destination.storage.committed.catalog.find(kind, name);
const setting = (kind: CatalogKind) =>
  expect.stringMatching(new RegExp(`^${kind} : .*elasticsearch\\.result\\.size\\.${kind}.* import again`));

const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 100}`);
const active = (name: string) => ({ name, owner: 'admin', state: 'Active' });
const inactive = { state: 'Inactive' };
const attributes = [{ name: 'a', value: null, state: 'Active' }];

/** Fills each list with more items than it shows, of which entries use the last ones. */
function fill(): void {
  olog.listLimit = 100;
  olog.logbooks = numbered('l', 120).map(active);
  olog.tags = numbered('t', 120).map((name) => ({ name, state: name === 't219' ? 'Inactive' : 'Active' }));
  olog.properties = numbered('p', 120).map((name) => ({ ...active(name), attributes }));
  olog.levels = numbered('v', 120).map((name) => ({ name, defaultLevel: false }));
  for (const at of [210, 219]) {
    olog.create({
      level: `v${at}`,
      logbooks: [active(`l${at}`)],
      tags: [
        { name: `t${at}`, state: 'Active' },
        { name: 'never was', state: 'Active' },
      ],
      properties: [{ ...active(`p${at}`), attributes: [{ name: 'a', value: 'x', state: 'Active' }] }],
    });
  }
}

describe('a list that the source cuts', () => {
  test('is a problem that names the setting; items that entries use have their state at the source', async () => {
    fill();
    const { problems, differences } = await bring();
    expect(problems).toEqual((['levels', 'logbooks', 'tags', 'properties'] as const).map(setting));
    expect(differences).toEqual([]);
    expect(await find('logbooks', 'l219')).toEqual(active('l219'));
    expect(await find('tags', 't210')).toEqual({ name: 't210', state: 'Active' });
    expect(await find('tags', 't219')).toMatchObject(inactive);
    expect(await find('tags', 'never was')).toMatchObject(inactive);
    expect(await find('properties', 'p219')).toEqual({ ...active('p219'), attributes });
    expect(await find('levels', 'v219')).toEqual({ name: 'v219', defaultLevel: false });
    olog.listLimit = 1_001;
    expect(await bring()).toMatchObject({ problems: [], differences: [] });
    expect(await find('properties', 'p218')).toEqual({ ...active('p218'), attributes });
  });

  test('retires no item that new names push out of it, and the problem names such an item', async () => {
    olog.tags = numbered('t', 95).map((name) => ({ name, state: 'Active' }));
    expect(await bring()).toMatchObject({ problems: [], differences: [] });
    olog.tags.push(...numbered('a', 9).map((name) => ({ name, state: 'Active' })));
    olog.tags[0] = { name: 't100', state: 'Inactive' };
    const { problems, remarks, differences } = await bring();
    expect(problems).toEqual([setting('tags')]);
    expect(problems[0]).toMatch(/“t19[1-4]”/);
    expect([await find('tags', 't194'), await find('tags', 't100')]).toMatchObject([{ state: 'Active' }, inactive]);
    expect(remarks.filter((text) => text.includes('no longer lists'))).toHaveLength(1);
    expect(differences).toEqual([]);
  });

  test('leaves an item as it is while the source cannot say its state; the next run asks again', async () => {
    olog.tags = ['a', 'b'].map((name) => ({ name, state: 'Active' }));
    await bring();
    olog.tags = [
      { name: 'a', state: 'Active' },
      { name: 'b', state: 'Inactive' },
    ];
    olog.interference = (path, _request, response) => path === '/tags/b' && Boolean(response.writeHead(500).end());
    expect((await bring()).problems).toEqual([expect.stringMatching(/^tags b: .*status 500/)]);
    expect(await find('tags', 'b')).toMatchObject({ state: 'Active' });
    olog.interference = () => false;
    expect((await bring()).problems).toEqual([]);
    expect(await find('tags', 'b')).toMatchObject(inactive);
  });

  test('keeps its items active during an outage in which the source says 404 for all of them', async () => {
    olog.tags = ['a', 'b'].map((name) => ({ name, state: 'Active' }));
    olog.levels = [{ name: 'Info', defaultLevel: true }];
    await bring();
    olog.listLimit = 1;
    olog.interference = (path, _request, response) =>
      path.startsWith('/tags/') && Boolean(response.writeHead(404).end());
    expect((await bring()).problems).toEqual([expect.stringMatching(/^tags b: .*cannot be looked up/)]);
    expect(await find('tags', 'b')).toMatchObject({ state: 'Active' });
    olog.interference = (path, _request, response) => path === '/tags' && Boolean(response.writeHead(404).end());
    expect((await bring()).problems).toEqual([expect.stringMatching(/^tags : A list was not imported/)]);
  });

  test('keeps an item active if a proxy refuses its name; a remark says so', async () => {
    olog.tags = ['a', 'b/c'].map((name) => ({ name, state: 'Active' }));
    olog.levels = [{ name: 'Info', defaultLevel: true }];
    await bring();
    olog.listLimit = 1;
    olog.interference = (path, _request, response) =>
      /%2f|no-item/i.test(path) && Boolean(response.writeHead(404).end());
    const { problems, remarks } = await bring();
    expect(problems).toEqual([]);
    expect(remarks).toEqual([expect.stringMatching(/“b\/c”, and it cannot be looked up/)]);
    expect(await find('tags', 'b/c')).toMatchObject({ state: 'Active' });
  });

  test('requests an item that is already inactive here only once', async () => {
    olog.create({ tags: [{ name: 'gone', state: 'Active' }] });
    olog.interference = (path, _request, response) =>
      /^\/tags\/(gone|no-item)/.test(path) && Boolean(response.writeHead(404).end());
    await bring();
    olog.requests.length = 0;
    await bring();
    // The second request is that of the comparison.
    expect(olog.requests.filter((path) => path.startsWith('/tags/'))).toEqual(['/tags/gone', '/tags/gone']);
  });

  test('does not return levels that were removed here', async () => {
    const levels = ['Low', 'High'].map((name) => ({ name, defaultLevel: false }));
    Object.assign(olog, { levels, listLimit: 1 });
    for (const level of ['Low', 'High']) olog.create({ level });
    await bring();
    for (const { name } of levels) await destination.storage.write((tx) => tx.catalog.remove('levels', name));
    await bring();
    expect([await find('levels', 'Low'), await find('levels', 'High')]).toEqual([undefined, undefined]);
  });

  test('has a new default level: it replaces the one that the import brought', async () => {
    olog.levels = [{ name: 'Low', defaultLevel: true }];
    olog.listLimit = 1;
    olog.create({ level: 'High' });
    // The default changes after the list was read.
    olog.interference = (path) => {
      if (path.startsWith('/logs/search')) {
        olog.levels = ['Low', 'High'].map((name) => ({ name, defaultLevel: name === 'High' }));
      }
      return false;
    };
    expect((await bring()).problems).toEqual([setting('levels')]);
    expect(await find('levels', 'High')).toMatchObject({ defaultLevel: true });
    expect(await find('levels', 'Low')).toMatchObject({ defaultLevel: false });
  });

  test('became inactive by an earlier import: the items are active again', async () => {
    olog.create({ tags: [{ name: 'late', state: 'Active' }] });
    await bring();
    expect(await find('tags', 'late')).toMatchObject(inactive);
    Object.assign(olog, { listLimit: 2, tags: ['a', 'alarm', 'late'].map((name) => ({ name, state: 'Active' })) });
    expect(await bring()).toMatchObject({ problems: [setting('tags')], differences: [] });
    expect(await find('tags', 'late')).toMatchObject({ state: 'Active' });
  });
});

test('a list of exactly 10 items may be cut, unless this program is the source', async () => {
  olog.tags = numbered('t', 10).map((name) => ({ name, state: 'Active' }));
  expect((await bring()).problems).toEqual([expect.stringMatching(/^tags : The list of tags has exactly 10 items/)]);
  const service = await TestService.start();
  try {
    for (const name of numbered('t', 10)) await service.put(`/tags/${name}`, { name, state: 'Active' });
    const { problems, differences } = await bring(service.base);
    expect([problems, differences]).toEqual([[], []]);
  } finally {
    await service.stop();
  }
});
