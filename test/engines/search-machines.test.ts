import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hash } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeCertificate, type ServerCertificate } from '../directories/certificates.js';
import { freePort } from '../fixtures/free-port.js';
import { codeBlocks, manualSection } from '../fixtures/manual.js';
import { install, securityPlugin } from '../fixtures/opensearch-server.js';
import { hasSecurityPlugin, SecuredOpenSearch } from '../fixtures/secured-opensearch.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const execute = promisify(execFile);
const machines = await manualSection('cluster-setup.md', 'Three machines with systemd');
const guide = await manualSection('cluster-setup.md', 'OpenSearch servers');
const names = ['node1', 'node2', 'node3'];
const [adminPassword, password] = ['Of-the-administrator-1', 'Of-the-nodes-1'];

/** Puts the files in place that the package and the administrator do. */
async function prepare(dir: string, certificate: ServerCertificate): Promise<void> {
  const config = join(dir, 'config');
  await cp(securityPlugin, join(dir, 'plugins', 'opensearch-security'), { recursive: true });
  await cp(certificate.caFile, join(config, 'ca.pem'));
  await cp(certificate.certificateFile, join(config, 'server.pem'));
  await cp(certificate.keyFile, join(config, 'server-key.pem'));
  await cp(join(securityPlugin, 'config'), join(config, 'opensearch-security'), { recursive: true });
  const users = join(config, 'opensearch-security', 'internal_users.yml');
  // Its package writes the password of the administrator.
  const adminHash = await hash(adminPassword, 10);
  const packaged = (await readFile(users, 'utf8')).replace(/(?<=^admin:\n {2}hash: )"[^"]+"/m, () => `"${adminHash}"`);
  await writeFile(users, packaged);
  const [, removal = ''] = /^(sed .*) \S+$/m.exec(codeBlocks(guide, 'sh')[1] ?? '') ?? [];
  await execute('sh', ['-c', `${removal} ${users}`]);
}

describe.skipIf(!hasSecurityPlugin)(
  'three search servers as documented (need OpenSearch, its security plug-in and Java)',
  () => {
    let dir: string;
    let certificate: ServerCertificate;
    const servers: SecuredOpenSearch[] = [];
    beforeAll(async () => {
      dir = await makeTempDir();
      certificate = await makeCertificate(dir, 'search.localhost', '127.0.0.1');
      const ports = await Promise.all(names.map(() => freePort()));
      const seeds = ports.map((port) => `127.0.0.1:${port}`);
      const documented = codeBlocks(guide, 'yaml')[0] ?? '';
      const ca = await readFile(certificate.caFile);
      const starting = names.map(async (name, at) => {
        const {
          'path.data': _,
          'path.logs': __,
          ...settings
        } = parse(documented.replace('node.name: node1', `node.name: ${name}`));
        const here = {
          'discovery.seed_hosts': seeds,
          'network.host': '127.0.0.1',
          'transport.port': ports[at],
          // One certificate for all of them, with another name.
          'plugins.security.nodes_dn': ['CN=search.localhost'],
          'plugins.security.ssl.transport.enforce_hostname_verification': false,
        };
        const installed = await install({
          settings: { ...settings, ...here, 'discovery.type': 'zen' },
          prepare: (into) => prepare(into, certificate),
        });
        return SecuredOpenSearch.startIn(installed, { user: 'admin', password: adminPassword }, new Agent({ ca }));
      });
      const started = await Promise.allSettled(starting);
      for (const one of started) if (one.status === 'fulfilled') servers.push(one.value);
      await Promise.all(starting);
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(dir, { recursive: true, force: true });
    });

    test('the user of the nodes finds every entry, also when any of the servers ends', async () => {
      const api = `${servers[0]?.node}/_plugins/_security/api`;
      const commands = codeBlocks(guide, 'sh')[2]?.match(/^curl .*$/gm) ?? [];
      expect(commands).toHaveLength(2);
      for (const command of commands) {
        const here = command
          .replace('ca.pem', certificate.caFile)
          .replace('--user admin', `--user admin:${adminPassword}`)
          .replace('…', password)
          .replace('$api', api);
        await execute('sh', ['-c', here]);
      }
      for (const user of ['readall', 'kibanaserver']) {
        const asked = execute('curl', [
          '--fail',
          '--cacert',
          certificate.caFile,
          '--user',
          `${user}:${user}`,
          servers[0]?.node ?? '',
        ]);
        await expect(asked, user).rejects.toThrow('401');
      }
      const properties = codeBlocks(machines, 'properties').find((block) => block.includes('opensearchNodes')) ?? '';
      const settings = Object.fromEntries(
        properties
          .trim()
          .split('\n')
          .map((line) => line.split(' = ') as [string, string]),
      );
      const { opensearchPasswordFile: _, ...used } = settings;
      const service = await TestService.start({
        ...used,
        opensearchNodes: servers.map(({ node }) => node).join(','),
        opensearchCaFile: certificate.caFile,
        opensearchPassword: password,
      });
      let created = 0;
      const createAndFind = async () => {
        await service.create({ title: `Vacuum ${++created}` });
        // Searches fail until the others have noticed that one has ended.
        await expect.poll(() => service.search('title=vacuum').then(({ hitCount }) => hitCount)).toBe(created);
      };
      for (let n = 0; n < 5; n++) await createAndFind();
      const { number_of_nodes: nodes } = await (servers[0] ?? expect.fail()).request('GET', '/_cluster/health');
      expect(nodes).toBe(3);
      for (const server of servers) {
        await server.kill();
        for (let n = 0; n < 3; n++) await createAndFind();
        await server.restart();
        // Another one may end once every part of the index has its second copy again.
        const complete = '/_cluster/health?wait_for_status=green&wait_for_nodes=3&timeout=300s';
        expect(await server.request('GET', complete)).toMatchObject({ status: 'green', number_of_nodes: 3 });
      }
      await service.stop();
    });
  },
);
