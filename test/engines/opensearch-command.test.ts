import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeCertificate } from '../directories/certificates.js';
import { portOf } from '../fixtures/local-server.js';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { TlsProxy } from '../fixtures/tls-proxy.js';

describe.skipIf(!hasOpenSearch)('the service with index=opensearch (needs OpenSearch 2 and Java)', () => {
  let server: OpenSearchServer;
  let indexName: string;
  let dir: string;
  beforeAll(async () => {
    server = await OpenSearchServer.start();
  });
  afterAll(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    indexName = server.newOptions().indexName;
    dir = await makeTempDir();
  });
  afterEach(async () => {
    await server.resume();
    await rm(dir, { recursive: true, force: true });
  });
  const settings = (more: Record<string, string> = {}) => ({
    index: 'opensearch',
    opensearchNodes: server.node,
    opensearchIndex: indexName,
    opensearchReplicas: '0',
    ...more,
  });
  const flags = (more: Record<string, string> = {}) =>
    Object.entries({ ...settings(), dataDir: join(dir, 'data'), ...more })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `-D${name}=${value}`);
  const readiness = async (origin: string) => {
    const response = await fetch(`${origin}/readyz`);
    return { code: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test('entries are found as soon as they are stored; the service says where, and how the index is', async () => {
    const service = await (await TestService.start(settings(), join(dir, 'data'))).searchable();
    for (let n = 1; n <= 10; n++) {
      await service.create({ title: `Entry number${n}` });
      expect((await service.search(`title=number${n}`)).hitCount).toBe(1);
    }
    const facets = await service.get('/logs/facets');
    expect(facets.body).toMatchObject({ hitCount: 10 });
    // A check that takes longer than its limit counts as failed.
    await expect
      .poll(async () => (await service.get('')).body.searchIndex)
      .toMatchObject({
        status: 'Connected',
        clusterName: 'opensearch',
        version: 'OpenSearch 2.19.4',
        searchIndexHost: '127.0.0.1',
        searchIndexPort: String(server.port),
        backend: `type=OPENSEARCH, servers=[{address=127.0.0.1:${server.port}, state=CONNECTED}]`,
      });
    await expect
      .poll(async () => (await readiness(service.origin)).body)
      .toMatchObject({
        status: 'ready',
        checks: { searchIndex: { status: 'ok' } },
      });
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toMatch(/logbook_search_lag_seconds [0-9.e-]+\n/);
    await service.stop({ keepData: true });
    const again = await (await TestService.start(settings(), join(dir, 'data'))).searchable();
    expect((await again.search('title=entry')).hitCount).toBe(10);
    await again.stop({ keepData: true });
    // The index in the data directory was not updated in the meantime.
    const embedded = await (await TestService.start({}, join(dir, 'data'))).searchable();
    expect((await embedded.search('title=entry')).hitCount).toBe(10);
    await embedded.stop({ keepData: true });
  });

  test('503 with the reason and Retry-After while it is unreachable, also at the start; entries are still written', async () => {
    await server.kill();
    const service = await TestService.start(settings(), join(dir, 'data'));
    await service.create({ title: 'Meanwhile' });
    const refused = await service.get('/logs/search');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(refused.body).toMatchObject({ code: 'search.unavailable' });
    expect(refused.text).toContain('OpenSearch cannot be reached');
    expect(refused.text).not.toContain(String(server.port));
    expect(await readiness(service.origin)).toMatchObject({
      code: 200,
      body: { status: 'degraded', checks: { searchIndex: { status: 'warning' } } },
    });
    expect((await service.get('')).body.searchIndex.backend).toContain('state=UNAVAILABLE');
    await server.restart();
    await expect.poll(async () => (await service.get('/logs/search?title=meanwhile')).body.hitCount).toBe(1);
    await expect.poll(async () => (await readiness(service.origin)).body.status).toBe('ready');
    await service.stop({ keepData: true });
  });

  test('check says what is wrong, in one sentence each, and never the password', async () => {
    const check = async (more: Record<string, string> = {}) => {
      const { output, errors, code } = await runCommand(['check', ...flags(more)]);
      expect(output + errors).not.toContain('the-password');
      return `${code} ${output}${errors}`;
    };
    expect(await check()).toMatch(
      /^0 ok {7}opensearch: OpenSearch 2.19.4 at http.*: there is no index “logbook\d+” yet/,
    );
    await server.request('PUT', '/somebodys');
    expect(await check({ opensearchIndex: 'somebodys' })).toContain('“somebodys” is not an index of a logbook');
    expect(await check({ opensearchNodes: `https://127.0.0.1:${server.port}` })).toMatch(
      /^1 PROBLEM {2}opensearch: https/,
    );
    expect(await check({ opensearchNodes: 'http://127.0.0.1:1' })).toContain('cannot be reached');
    const guard = createServer((request, response) => {
      expect(request.headers.authorization).toBe(`Basic ${Buffer.from('ada:the-password').toString('base64')}`);
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    const passwordFile = join(dir, 'password');
    await writeFile(passwordFile, 'the-password\n');
    const guarded = `http://127.0.0.1:${portOf(guard)}`;
    const asAda = { opensearchNodes: guarded, opensearchUser: 'ada', opensearchPasswordFile: passwordFile };
    expect(await check(asAda)).toContain('does not accept the user “ada” or its password');
    guard.close();
    expect(await check({ opensearchNodes: '' })).toContain('index=opensearch needs opensearchNodes');
    expect(await check({ opensearchUser: 'ada' })).toContain('belong together');
    expect(
      await check({
        opensearchNodes: 'http://search.example.org:9200',
        opensearchUser: 'ada',
        opensearchPassword: 'the-password',
      }),
    ).toContain('unencrypted');
    expect(await check({ index: 'embedded' })).toContain('has no effect with index=embedded');
  });

  test('with TLS, only a server whose certificate an authority of the site has signed for its name gets a request', async () => {
    const certificate = await makeCertificate(dir, 'search.localhost', '127.0.0.1');
    const proxy = await TlsProxy.start(server.port, certificate);
    try {
      const secured = {
        opensearchNodes: `https://127.0.0.1:${proxy.port}`,
        opensearchUser: 'ada',
        opensearchPassword: 'the-password',
        opensearchCaFile: certificate.caFile,
      };
      const check = async (more: Record<string, string> = {}) =>
        (await runCommand(['check', ...flags({ ...secured, httpsPort: 'off', ...more })])).output;
      expect(await check()).toMatch(/^ok {7}opensearch: OpenSearch 2.19.4 at https/);
      expect(await check({ opensearchCaFile: '' })).toContain('The certificate of OpenSearch is not trusted');
      const otherName = `https://localhost:${proxy.port}`;
      expect(await check({ opensearchNodes: otherName })).toContain('The certificate of OpenSearch is not trusted');
      const service = await (await TestService.start(settings(secured), join(dir, 'data'))).searchable();
      await service.create({ title: 'over TLS' });
      expect((await service.search('title=tls')).hitCount).toBe(1);
      await service.stop();
    } finally {
      await proxy.stop();
    }
  });

  test('rebuild-index builds a new index next to the old one', async () => {
    const service = await (await TestService.start(settings(), join(dir, 'data'))).searchable();
    await service.create({ title: 'Kept' });
    expect((await service.search('title=kept')).hitCount).toBe(1);
    await service.stop({ keepData: true });
    const before = Object.keys(await server.request('GET', `/${indexName}-*`));
    const { output, code } = await runCommand(['rebuild-index', ...flags()]);
    expect([code, output]).toEqual([0, expect.stringContaining('The search index is complete.')]);
    const after = Object.keys(await server.request('GET', `/${indexName}-*`));
    expect([after.length, after[0] === before[0]]).toEqual([1, false]);
    const again = await (await TestService.start(settings(), join(dir, 'data'))).searchable();
    expect((await again.search('title=kept')).hitCount).toBe(1);
    await again.stop({ keepData: true });
  });

  test('kill -9: every acknowledged entry is found after the restart', async () => {
    const dataDir = join(dir, 'data');
    const first = await LogbookProcess.start(dataDir, { args: flags() });
    const headers = { authorization: `Basic ${btoa('user:userPass')}`, 'content-type': 'application/json' };
    let acknowledged = 0;
    const write = async () => {
      const body = JSON.stringify({ title: 'acknowledged', logbooks: [{ name: 'operations' }] });
      const response = await fetch(`${first.origin}/logbook/logs`, { method: 'PUT', headers, body }).catch(
        () => undefined,
      );
      if (response?.ok) acknowledged += 1;
      return response?.ok === true;
    };
    const writing = Promise.all(
      [1, 2, 3].map(async () => {
        while (await write());
      }),
    );
    await expect.poll(() => acknowledged).toBeGreaterThan(40);
    first.child.kill('SIGKILL');
    await writing;
    const second = await LogbookProcess.start(dataDir, { args: flags() });
    const count = async () => {
      const response = await fetch(`${second.origin}/logbook/logs/search?title=acknowledged&size=1`, { headers });
      return ((await response.json()) as { hitCount?: number }).hitCount ?? -1;
    };
    await expect.poll(count).toBeGreaterThanOrEqual(acknowledged);
    second.child.kill('SIGTERM');
    await second.exit();
  });
});
