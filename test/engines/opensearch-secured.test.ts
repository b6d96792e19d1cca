import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeCertificate, type ServerCertificate } from '../directories/certificates.js';
import { runCommand } from '../fixtures/process.js';
import { hasSecurityPlugin, type Rights, SecuredOpenSearch } from '../fixtures/secured-opensearch.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

/** The rights that the operator's guide tells to give. */
function documentedRights(): Rights {
  const guide = readFileSync('docs/operator/opensearch.md', 'utf8');
  const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const [, cluster] = /^\| Cluster \| (.+) \|$/m.exec(guide) ?? [];
  const [, patterns, actions] = /^\| Indexes (.+) \| (.+) \|$/m.exec(guide) ?? [];
  return { cluster: namesIn(cluster), indexes: { patterns: namesIn(patterns), actions: namesIn(actions) } };
}

const rights = documentedRights();
const password = 'the-password';
const accounts = [
  { user: 'logbook', password, rights },
  { user: 'reader', password, rights: { ...rights, indexes: { ...rights.indexes, actions: ['read'] } } },
];

describe.skipIf(!hasSecurityPlugin)('OpenSearch with its security plug-in (needs both, and Java)', () => {
  let certificates: string;
  let certificate: ServerCertificate;
  let server: SecuredOpenSearch;
  let dir: string;
  beforeAll(async () => {
    certificates = await makeTempDir();
    certificate = await makeCertificate(certificates, 'search.localhost', '127.0.0.1');
    server = await SecuredOpenSearch.startWith(certificate, accounts);
  });
  afterAll(async () => {
    await server.stop();
    await rm(certificates, { recursive: true, force: true });
  });
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(async () => {
    await server.request('DELETE', '/logbook-*');
    await rm(dir, { recursive: true, force: true });
  });
  const settings = (more: Record<string, string> = {}) => ({
    ...{ index: 'opensearch', opensearchNodes: server.node, opensearchReplicas: '0' },
    ...{ opensearchUser: 'logbook', opensearchPassword: password, opensearchCaFile: certificate.caFile },
    ...more,
  });
  const run = async (command: string, more: Record<string, string> = {}) => {
    const all = { ...settings(more), dataDir: join(dir, 'data') };
    const { code, output, errors } = await runCommand([
      command,
      ...Object.entries(all).map(([name, value]) => `-D${name}=${value}`),
    ]);
    return `${code} ${output}${errors}`;
  };

  test('the rights in the guide are enough for everything that the service does', async () => {
    expect(await run('check')).toMatch(/^0 .*there is no index “logbook” yet/s);
    const service = await (await TestService.start(settings(), join(dir, 'data'))).searchable();
    await service.create({ title: 'Vacuum of the ring' });
    for (let n = 1; n <= 5; n++) await service.create({ title: `Vacuum ${n}` });
    for (const query of ['', 'title=vacuum', 'q=vacuum&sort=relevance', 'from=3&size=2', 'title=vacu*&threads=true']) {
      const { status, body } = await service.get(`/logs/search?${query}`);
      expect([query, status, body.hitCount]).toEqual([query, 200, 6]);
    }
    expect((await service.get('/logs/facets')).body).toMatchObject({ hitCount: 6 });
    expect((await service.get('/suggest?key=title&q=vac')).body).toMatchObject([{ count: 6 }]);
    expect((await service.get('')).body.searchIndex.backend).toContain('state=CONNECTED');
    await service.stop({ keepData: true });
    expect(await run('rebuild-index')).toMatch(/^0 /);
    expect(await run('check')).toMatch(/^0 .*“logbook” belongs to the logbook/s);
  });

  test('a wrong password and a missing right are named, by the check and by the log', async () => {
    expect(await run('check', { opensearchPassword: 'wrong' })).toContain('does not accept the user “logbook”');
    expect(await run('check', { opensearchUser: 'reader' })).toContain('does not permit the user “reader”');
    const service = await TestService.start(settings({ opensearchUser: 'reader' }), join(dir, 'data'));
    await service.create({ title: 'Written all the same' });
    const refused = await service.get('/logs/search');
    expect(refused.body).toMatchObject({ code: 'search.unavailable' });
    await service.stop({ keepData: true });
  });
});
