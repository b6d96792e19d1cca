import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeCertificate, type ServerCertificate } from '../directories/certificates.js';
import { freePort } from '../fixtures/free-port.js';
import { GuardedNode } from '../fixtures/guarded-node.js';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const account = { user: 'logbook', password: 'the-password' };

describe.skipIf(!hasOpenSearch)('nodes of OpenSearch that want TLS and a password (needs OpenSearch and Java)', () => {
  let server: OpenSearchServer;
  let dir: string;
  let certificate: ServerCertificate;
  let one: GuardedNode;
  let two: GuardedNode;
  let services: TestService[];
  beforeAll(async () => {
    server = await OpenSearchServer.start();
    dir = await makeTempDir();
    certificate = await makeCertificate(dir, 'search.localhost', '127.0.0.1');
  });
  afterAll(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    [one, two] = [await startNode(), await startNode()];
    services = [];
  });
  afterEach(async () => {
    for (const service of services) await service.stop();
    await one.stop();
    await two.stop();
  });
  /** Starts a node on a port that it can use again. */
  const startNode = async (port?: number) =>
    GuardedNode.start(server.port, certificate, { ...account, port: port ?? (await freePort()) });
  const lines: string[] = [];
  const reasons = () => lines.flatMap((line) => (JSON.parse(line) as { reason?: string }).reason ?? []);
  const start = async (nodes: readonly string[], more: Record<string, string> = {}) => {
    lines.length = 0;
    const settings = {
      ...{ index: 'opensearch', opensearchNodes: nodes.join(','), opensearchIndex: server.newOptions().indexName },
      ...{ opensearchUser: account.user, opensearchPassword: account.password, opensearchCaFile: certificate.caFile },
      ...{ opensearchReplicas: '0', opensearchRequestTimeout: '5s', ...more },
    };
    const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
    const service = await TestService.start(settings, await makeTempDir(), logger);
    services.push(service);
    return service;
  };
  /** Creates entries and finds each immediately. @throws Error when a search fails or lacks one */
  const writeAndFind = async (service: TestService, title: string, count: number) => {
    await service.searchable();
    for (let n = 1; n <= count; n++) {
      await service.create({ title: `${title} ${n}` });
      const found = await service.get(`/logs/search?title=${title}`);
      expect([found.status, found.body.hitCount]).toEqual([200, n]);
    }
  };
  const states = async (service: TestService) =>
    [...(await service.get('')).body.searchIndex.backend.matchAll(/state=(\w+)/g)].map(([, state]) => state);

  test('both serve; when one ends, each search still has every entry, and no request fails', async () => {
    const service = await start([one.url, two.url]);
    await writeAndFind(service, 'both', 10);
    expect(Math.min(one.answered, two.answered)).toBeGreaterThan(0);
    expect(await states(service)).toEqual(['CONNECTED', 'CONNECTED']);
    await one.stop();
    await writeAndFind(service, 'single', 20);
    await expect.poll(() => states(service)).toEqual(['UNAVAILABLE', 'CONNECTED']);
    // The other way round, with the first one back on its port.
    one = await startNode(one.port);
    await two.stop();
    await writeAndFind(service, 'other', 20);
    expect(one.answered).toBeGreaterThan(0);
  });

  test('a host that is unreachable from the start prevents nothing', async () => {
    const service = await start([`https://127.0.0.1:${await freePort()}`, two.url]);
    await writeAndFind(service, 'away', 10);
    await expect.poll(() => states(service)).toEqual(['UNAVAILABLE', 'CONNECTED']);
  });

  test('one with a certificate that is not trusted gets no password; the other serves', async () => {
    const otherDir = await makeTempDir();
    const foreign = await GuardedNode.start(
      server.port,
      await makeCertificate(otherDir, 'search.localhost', '127.0.0.1'),
      account,
    );
    const service = await start([foreign.url, two.url]);
    await writeAndFind(service, 'foreign', 5);
    expect(foreign.answered).toBe(0);
    await foreign.stop();
    await rm(join(otherDir), { recursive: true });
  });

  test.each<[what: string, more: Record<string, string>, reason: RegExp]>([
    [
      'a wrong password',
      { opensearchPassword: 'wrong' },
      /^https:\/\/127[.]0[.]0[.]1:\d+ does not accept the user “logbook” or its password[.] Correct opensearchUser/,
    ],
    [
      'no password',
      { opensearchUser: '', opensearchPassword: '' },
      /^https:\/\/127[.]0[.]0[.]1:\d+ wants a user name and a password[.] Set opensearchUser and opensearchPassword[.]$/,
    ],
    [
      'an authority that is not trusted',
      { opensearchCaFile: '' },
      /^https:\/\/127[.]0[.]0[.]1:\d+: The certificate of OpenSearch is not trusted .*opensearchCaFile/,
    ],
  ])(
    'with %s, the log says at the start what is wrong; entries are stored, and searches refused',
    async (_, more, reason) => {
      const service = await start([one.url, two.url], more);
      expect(reasons()).toEqual([expect.stringMatching(reason)]);
      await service.create({ title: 'stored' });
      const refused = await service.get('/logs/search?title=stored');
      expect([refused.status, refused.body.code]).toEqual([503, 'search.unavailable']);
      expect(one.answered + two.answered).toBe(0);
    },
  );
});
