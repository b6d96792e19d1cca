import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environmentName, type SettingName, settings } from '../../src/config/settings.js';
import { productDir } from '../../src/kernel/product.js';

const execute = promisify(execFile);
const deployDir = join(productDir, 'deploy');
const read = (...path: string[]) => readFileSync(join(deployDir, ...path), 'utf8');
const find = (program: string) =>
  [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/go/bin']
    .map((dir) => join(dir, program))
    .find((file) => existsSync(file));

/** A test that needs programs, without which it is skipped. */
const testWith = (...programs: string[]) =>
  test.skipIf(process.env.CI === undefined && !programs.every((program) => find(program)));

async function makeDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'logbook-deploy-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A key with a certificate in one file, as HAProxy and nginx read it. */
async function makeCertificate(dir: string): Promise<string> {
  const [key, certificate, both] = ['key', 'certificate', 'both'].map((name) => join(dir, `${name}.pem`)) as [
    string,
    string,
    string,
  ];
  const subject = ['-subj', '/CN=logbook.example.org', '-days', '1', '-nodes'];
  await execute('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, '-keyout', key, '-out', certificate]);
  await writeFile(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  return both;
}

/** Rejects when HAProxy refuses the file, with what it says. */
const checkHaproxy = (file: string) => execute(String(find('haproxy')), ['-c', '-V', '-f', file]);

/** The addresses of the servers in a configuration of HAProxy. */
const serversIn = (configuration: string) =>
  Array.from(configuration.matchAll(/^ *server \w+ (\S+)/gm), ([, address]) => address);

const units = readdirSync(join(deployDir, 'systemd'));
const services = units.filter((unit) => unit.endsWith('.service'));

for (const unit of services) {
  testWith('systemd-analyze')(`${unit} may do little: an exposure below 2`, async () => {
    const { stdout } = await execute('systemd-analyze', [
      ...['security', '--offline=true', '--threshold=20', '--no-pager'],
      join(deployDir, 'systemd', unit),
    ]);
    expect(stdout).toMatch(/Overall exposure level for \S+: [01]\.\d /);
  });
}

testWith('systemd-analyze')('systemd knows all settings of the units', async () => {
  const dir = await makeDir();
  const files = units.map((unit) => join(dir, unit));
  for (const [index, unit] of units.entries()) {
    await writeFile(String(files[index]), read('systemd', unit).replace('/usr/bin/logbook', process.execPath));
  }
  const { stderr } = await execute('systemd-analyze', ['verify', '--man=no', ...files]);
  expect(stderr).toBe('');
});

test('the services may do the same', () => {
  const sandboxes = services.map((unit) => read('systemd', unit).split('\nUMask=')[1]?.split('\n\n')[0]?.trim());
  expect(sandboxes[0]?.length).toBeGreaterThan(500);
  expect(new Set(sandboxes).size).toBe(1);
});

testWith('haproxy', 'openssl')('HAProxy accepts its configuration', async () => {
  const dir = await makeDir();
  const file = join(dir, 'haproxy.cfg');
  await writeFile(file, read('proxy', 'haproxy.cfg').replace(/crt \S+/, `crt ${await makeCertificate(dir)}`));
  await checkHaproxy(file);
});

testWith('haproxy')(
  'HAProxy accepts the configuration of the cluster of containers, with each of its nodes',
  async () => {
    const { services, configs } = parse(read('container', 'compose.cluster.yaml'), { merge: true }) as {
      services: object;
      configs: { haproxy: { content: string } };
    };
    const file = join(await makeDir(), 'haproxy.cfg');
    await writeFile(file, configs.haproxy.content);
    await checkHaproxy(file);
    const nodes = Object.keys(services).filter((name) => name.startsWith('node'));
    expect(serversIn(configs.haproxy.content)).toEqual([...nodes, ...nodes].map((name) => `${name}:8080`));
  },
);

testWith('nginx', 'openssl')('nginx accepts its configuration', async () => {
  const dir = await makeDir();
  const pem = await makeCertificate(dir);
  const site = read('proxy', 'nginx.conf')
    .replace(/ssl_certificate(_key)? \S+;/g, (_all, key = '') => `ssl_certificate${key} ${pem};`)
    .replaceAll(/node(\d)\.example\.org/g, '127.0.0.$1');
  const file = join(dir, 'nginx.conf');
  await writeFile(file, `pid ${dir}/pid; error_log stderr; events {} http { access_log off; ${site} }`);
  await execute(String(find('nginx')), ['-t', '-c', file]);
});

test('HAProxy and nginx send requests to the same three nodes', () => {
  const nodes = [1, 2, 3].map((number) => `node${number}.example.org:8080`);
  expect(serversIn(read('proxy', 'haproxy.cfg'))).toEqual([...nodes, ...nodes]);
  expect(Array.from(read('proxy', 'nginx.conf').matchAll(/^ {2}server (\S+) /gm), ([, name]) => name)).toEqual(nodes);
});

// Go fetches the modules of Kubernetes.
test.skipIf(!find('go') || process.env.LOGBOOK_NO_GO_MODULES !== undefined)(
  'the Kubernetes manifests have only fields that Kubernetes knows',
  async () => {
    const dir = join(deployDir, 'kubernetes');
    const files = readdirSync(dir).map((name) => join(dir, name));
    const { stdout } = await execute(String(find('go')), ['run', '.', ...files], {
      cwd: join(productDir, 'test', 'deploy', 'manifests'),
    });
    expect(stdout).toContain('apps/v1 StatefulSet is valid');
  },
);

test('containers and manifests set only settings that exist', () => {
  const known = new Set((Object.keys(settings) as SettingName[]).map(environmentName));
  const files = [
    ...['container/Dockerfile', 'container/compose.yaml', 'container/compose.cluster.yaml'],
    'container/compose.opensearch.yaml',
  ];
  const more = [...units.map((unit) => `systemd/${unit}`), 'kubernetes/logbook.yaml', 'kubernetes/migrate.yaml'];
  const used = [...files, ...more].flatMap((file) => read(file).match(/\bLOGBOOK_[A-Z0-9_]+\b/g) ?? []);
  // The password of the example, from which the settings take it.
  expect(used.filter((name) => !known.has(name) && name !== 'LOGBOOK_PASSWORD')).toEqual([]);
  const manifest = read('kubernetes', 'configuration.yaml');
  const properties = /logbook\.properties: \|\n((?: {4}.*\n)+)/.exec(manifest)?.[1] ?? '';
  const names = Array.from(properties.matchAll(/^ {4}(\w+) =/gm), ([, name]) => name);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !Object.hasOwn(settings, String(name)))).toEqual([]);
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: object };
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: Pod };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

interface Pod {
  readonly containers: readonly {
    readonly image: string;
    readonly volumeMounts: readonly { readonly name: string }[];
  }[];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: { readonly name: string };
    readonly secret?: { readonly secretName: string };
  }[];
}

const installing = readFileSync(join(productDir, 'docs', 'operator', 'install.md'), 'utf8');
const readManifests = (file: string) =>
  parseAllDocuments(readFileSync(join(productDir, file), 'utf8')).map((document) => document.toJS() as Manifest);

test('applied in the order of the documentation, a manifest finds what it refers to', () => {
  const applied = Array.from(installing.matchAll(/^kubectl apply -f (\S+)$/gm), ([, file]) => String(file));
  expect(applied.map((file) => basename(file)).sort()).toEqual(readdirSync(join(deployDir, 'kubernetes')).sort());
  const [, secret] = /^kubectl create secret generic (\S+)/m.exec(installing) ?? [];
  const existing = new Set([`Secret ${secret}`]);
  for (const manifests of applied.map(readManifests)) {
    for (const { kind, metadata } of manifests) existing.add(`${kind} ${metadata.name}`);
    for (const { kind, spec } of manifests.filter(({ kind: one }) => ['Job', 'StatefulSet'].includes(one))) {
      const pod = spec?.template.spec as Pod;
      const needed = pod.volumes.flatMap(({ configMap, secret: mounted }) => [
        ...(configMap ? [`ConfigMap ${configMap.name}`] : []),
        ...(mounted ? [`Secret ${mounted.secretName}`] : []),
      ]);
      expect(needed).toHaveLength(2);
      expect([...existing]).toEqual(expect.arrayContaining(needed));
      const claimed = spec?.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
      const mounts = pod.containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
      expect([...claimed, ...pod.volumes.map(({ name }) => name)].sort()).toEqual(mounts.sort());
      if (kind === 'StatefulSet') expect(spec?.template.metadata.labels).toEqual(spec?.selector?.matchLabels);
    }
  }
});

test('the secret of the documentation has the files that the manifests name, and job and nodes have one image', () => {
  const [made = ''] = /^kubectl create secret .*$/m.exec(installing) ?? [];
  const keys = Array.from(made.matchAll(/--from-file=(\S+)/g), ([, key]) => key);
  const files = readdirSync(join(deployDir, 'kubernetes')).map((file) => read('kubernetes', file));
  const named = files.flatMap((text) => Array.from(text.matchAll(/\/run\/secrets\/logbook\/(\S+)/g), ([, key]) => key));
  expect(named.sort()).toEqual(keys.sort());
  const images = new Set(files.flatMap((text) => text.match(/^ +image: .*$/gm) ?? []).map((line) => line.trim()));
  expect(images.size).toBe(1);
});

test('compose files are well-formed, and what a service depends on exists', () => {
  for (const file of ['compose.yaml', 'compose.cluster.yaml']) {
    const { services, volumes } = parse(read('container', file), { merge: true }) as {
      services: Record<string, { depends_on?: object; volumes?: string[] }>;
      volumes: object;
    };
    for (const { depends_on: needs = {}, volumes: mounts = [] } of Object.values(services)) {
      const needed = Array.isArray(needs) ? needs : Object.keys(needs);
      expect(Object.keys(services)).toEqual(expect.arrayContaining(needed));
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(mounts.map((mount) => mount.split(':')[0])));
    }
  }
});

test('the file for OpenSearch adds to the services of the cluster', () => {
  const [cluster, added] = ['compose.cluster.yaml', 'compose.opensearch.yaml'].map((file) =>
    parse(read('container', file), { merge: true }),
  ) as { services: Record<string, { environment?: Record<string, string>; depends_on?: object }>; volumes: object }[];
  const nodes = Object.keys(cluster?.services ?? {}).filter((name) => /^node\d$/.test(name));
  const searchers = Object.keys(added?.services ?? {}).filter((name) => name.startsWith('search'));
  expect([nodes.length, searchers.length]).toEqual([3, 3]);
  for (const name of nodes) {
    const { environment, depends_on: needs = {} } = added?.services[name] ?? {};
    expect(environment?.LOGBOOK_OPENSEARCH_NODES).toBe(searchers.map((one) => `http://${one}:9200`).join(', '));
    expect(Object.keys(needs)).toEqual(searchers);
  }
  expect(Object.keys(added?.volumes ?? {})).toEqual(searchers);
});

test('alert rules and the dashboard use metrics that the service has', () => {
  const source = readdirSync(join(productDir, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(productDir, 'src', file), 'utf8'))
    .join('\n');
  const known = new Set(Array.from(source.matchAll(/'(logbook_[a-z_]+)'/g), ([, name]) => name));
  const rules = parse(read('monitoring', 'alerts.yaml')) as { groups: { rules: { expr: string; alert: string }[] }[] };
  const board = JSON.parse(read('monitoring', 'grafana-dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const expressions = [
    ...rules.groups.flatMap(({ rules: all }) => all.map(({ expr }) => expr)),
    ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  expect(expressions.length).toBeGreaterThan(20);
  const used = expressions.flatMap((expression) => expression.match(/\blogbook_[a-z_]+/g) ?? []);
  // The series of a histogram.
  const nameOf = (series: string) => series.replace(/_(bucket|count|sum)$/, '');
  expect(used.map(nameOf).filter((name) => !known.has(name))).toEqual([]);
  // All but a table of the database are documented.
  const documented = readFileSync(join(productDir, 'docs', 'operator', 'monitoring.md'), 'utf8');
  expect(
    [...known].filter((name) => name !== 'logbook_set' && !new RegExp(`\\| \`${name}[\`{]`).test(documented)),
  ).toEqual([]);
});
