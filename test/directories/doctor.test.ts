import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkOwners } from '../../src/app/doctor/check-owners.js';
import { checkUser } from '../../src/app/doctor/check-user.js';
import type { Diagnosis } from '../../src/app/doctor/diagnosis.js';
import { checkNode, examine } from '../../src/app/doctor/examine.js';
import { loadConfig } from '../../src/config/load-config.js';
import { freePort } from '../fixtures/free-port.js';
import { listening } from '../fixtures/local-server.js';
import { silentLog } from '../fixtures/log.js';
import { MailServer } from '../fixtures/mail-server.js';
import { LogbookProcess, mainFile } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { hasSlapd, Slapd, slapdBase, slapdManager } from './slapd.js';

let dir: string;
let dataDir: string;
beforeAll(async () => {
  dir = await makeTempDir();
  dataDir = join(dir, 'data');
});
afterAll(() => rm(dir, { recursive: true }));

interface Outcome {
  readonly code: number;
  readonly out: string;
}

/** Runs a command of the program with a configuration file of these lines. */
async function run(command: string, lines: readonly string[], ...args: readonly string[]): Promise<Outcome> {
  const file = join(dir, 'logbook.properties');
  await writeFile(file, [`dataDir = ${dataDir}`, ...lines].join('\n'));
  const words = [mainFile, command, '--config', file, ...args];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: { PATH: process.env.PATH } });
    return { code: 0, out: stdout };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code: number; stdout?: string; stderr?: string };
    return { code, out: stdout + stderr };
  }
}

interface Report {
  readonly checks: readonly Diagnosis[];
  readonly of: (check: string) => readonly Diagnosis[];
}

const report = (checks: readonly Diagnosis[]): Report => ({
  checks,
  of: (name) => checks.filter(({ check }) => check === name),
});

/** Examines an installation as the command does, in this process. */
async function examineWith(...lines: readonly string[]): Promise<Report> {
  const configFile = join(dir, 'logbook.properties');
  await writeFile(configFile, [`dataDir = ${dataDir}`, ...lines].join('\n'));
  const { options } = loadConfig({ flags: {}, properties: {}, configFile }, {});
  const checks: Diagnosis[] = [];
  for await (const found of examine(options, silentLog, new AbortController().signal)) checks.push(found);
  return report(checks);
}

async function runDoctor(
  ...lines: readonly string[]
): Promise<Report & { readonly code: number; readonly status: string }> {
  const { code, out } = await run('doctor', lines, '--json');
  const { status, checks } = JSON.parse(out) as { status: string; checks: Diagnosis[] };
  return { code, status, ...report(checks) };
}

test('before the first start, nothing is created, and missing parts are reported', async () => {
  const { code, out } = await run('doctor', []);
  expect(out).toContain(`ok       data: ${dataDir} does not exist yet; the first start creates it\n`);
  expect(out).toContain('ok       tls: the first start creates a self-signed certificate\n');
  expect(out).toMatch(/^WARNING {2}backup: no backups are configured\. Set backupTarget and backupAt/m);
  expect(out).toMatch(/^0 problems, \d warnings?; see above\.$/m);
  expect(code).toBe(1);
  await expect(rename(dataDir, `${dataDir}-x`)).rejects.toThrow('ENOENT');
});

test('a configuration that is not valid is a problem, and nothing else is examined', async () => {
  const { code, checks } = await runDoctor('storage = tape', 'maxFileSize = much');
  expect(code).toBe(2);
  expect(checks).toMatchObject([
    { check: 'configuration', status: 'problem', text: expect.stringContaining('storage') },
    { check: 'configuration', status: 'problem', text: expect.stringContaining('maxFileSize') },
  ]);
});

test('a running service is asked for its state; after its stop, its data are examined', async () => {
  const port = await freePort();
  const backups = join(dir, 'backups');
  await mkdir(backups);
  const lines = [`httpPort = ${port}`, 'httpsPort = off', `backupTarget = ${backups}`];
  const service = await LogbookProcess.start(dataDir, { env: { LOGBOOK_HTTP_PORT: String(port) } });
  const beside = await runDoctor(...lines);
  expect(beside.of('data')).toMatchObject([{ status: 'ok', text: expect.stringContaining('in use by a running') }]);
  expect(beside.of('service')).toMatchObject([{ status: 'ok', text: expect.stringContaining('is ready') }]);
  expect(beside.of('backup')).toMatchObject([{ status: 'problem', text: expect.stringContaining('no complete') }]);
  expect([beside.status, beside.code]).toEqual(['problem', 2]);
  expect((await run('backup', lines)).code).toBe(0);
  const backedUp = await examineWith(...lines);
  expect(backedUp.of('backup')).toMatchObject([{ status: 'ok', text: expect.stringContaining('0 minutes old') }]);
  expect(await service.stop()).toBe(0);

  const alone = await examineWith(...lines);
  expect(alone.of('data')).toMatchObject([{ status: 'ok', text: expect.stringContaining('belong together') }]);
  expect(alone.of('service')).toEqual([]);
  expect(alone.of('clock')).toMatchObject([{ status: 'ok' }]);
  expect(alone.of('sqlite')).toMatchObject([{ text: expect.stringMatching(/^SQLite 3\./) }]);

  const database = join(dataDir, 'logbook.sqlite');
  const ahead = new Date(Date.now() + 3_600_000);
  await utimes(database, ahead, ahead);
  expect((await examineWith(...lines)).of('clock')).toMatchObject([
    { status: 'problem', text: expect.stringMatching(/^the clock is 3\d\d\d s before the last write/) },
  ]);
  await rename(database, `${database}-away`);
  const without = await examineWith(...lines);
  expect(without.of('data')).toMatchObject([{ status: 'problem' }]);
  await rename(`${database}-away`, database);
  // Sentences from elsewhere end with a period, and so does the advice after them.
  expect((await run('doctor', [`backupTarget = ${join(dir, 'nowhere')}`])).out).toMatch(
    /^PROBLEM {2}backup: .*run “logbook backup”\. Correct this, then run “logbook backup”\.$/m,
  );
});

describe('the certificate of the service', () => {
  const keyAndCertificate = async (days: number) => {
    const notBeforeDate = new Date(Date.now() - 30 * 86_400_000);
    const notAfterDate = new Date(Date.now() + days * 86_400_000);
    return generate([{ name: 'commonName', value: 'x' }], { keySize: 2048, notBeforeDate, notAfterDate });
  };
  const withFiles = async (key: string, certificate: string) => {
    await writeFile(join(dir, 'key.pem'), key);
    await writeFile(join(dir, 'certificate.pem'), certificate);
    return (await examineWith('tlsKeyFile = key.pem', 'tlsCertificateFile = certificate.pem')).of('tls');
  };

  test.each([
    [-2, 'problem', /expired on/],
    [10, 'warning', /expires in 10 days/],
    [100, 'ok', /expires in 100 days/],
  ])('%d days before its end: %s', async (days, status, text) => {
    const { private: key, cert } = await keyAndCertificate(days);
    expect(await withFiles(key, cert)).toMatchObject([{ status, text: expect.stringMatching(text) }]);
  });

  test('the key of another certificate is a problem', async () => {
    const [one, other] = [await keyAndCertificate(100), await keyAndCertificate(100)];
    expect(await withFiles(one.private, other.cert)).toMatchObject([
      { status: 'problem', advice: expect.stringContaining('belong together') },
    ]);
  });
});

test('a clock that differs from that of a configured server is a problem', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('date', new Date(Date.now() - 600_000).toUTCString());
    response.end('{}');
  });
  onTestFinished(() => void server.close());
  await listening(server);
  const { port } = server.address() as AddressInfo;
  const beganMs = performance.now();
  const found = await examineWith(`oidcIssuer = http://127.0.0.1:${port}`, 'oidcClientId = logbook');
  const mostS = Math.ceil((performance.now() - beganMs) / 1_000) + 1;
  const clock = found.of('clock').find(({ text }) => text.includes('ahead of that of 127'));
  expect(clock).toMatchObject({ status: 'problem', advice: expect.stringContaining('chrony') });
  // The answer was on its way for a part of the time.
  const [, aheadS] = /^the clock is (\d+) s ahead/.exec(clock?.text ?? '') ?? [];
  expect(Math.abs(Number(aheadS) - 600)).toBeLessThanOrEqual(mostS);
  expect(found.of('oidc')).toMatchObject([{ status: 'problem' }]);
});

test.skipIf(!hasSlapd)('a directory is reached, and its certificate looked at (needs slapd)', async () => {
  const slapd = await Slapd.start();
  onTestFinished(() => slapd.stop());
  await writeFile(join(dir, 'ca.pem'), slapd.certificate.ca);
  await writeFile(
    join(dir, 'ldap.properties'),
    [
      `ldap.urls = ${slapd.tlsUrl}/${slapdBase}`,
      'ldap.ca.file = ca.pem',
      'ldap.manager.dn = cn=manager',
      `ldap.manager.password = ${slapdManager.password}`,
      'ldap.user.search.filter = (uid={0})',
    ].join('\n'),
  );
  const lines = ['authenticationProviders = ldap', 'ldapPropertySource = ldap.properties'];
  const { of } = await examineWith(...lines);
  expect(of('certificate')).toMatchObject([
    { text: expect.stringContaining('the certificate of ldaps://localhost expires') },
  ]);
  expect(of('ldap').length).toBeGreaterThan(0);
  expect(of('ldap').filter(({ status }) => status !== 'ok')).toEqual([]);
  await slapd.stop();
  const away = await examineWith(...lines);
  expect(away.of('certificate')).toEqual([]);
  expect(away.of('ldap')).toMatchObject([{ status: 'problem', text: expect.stringContaining('ECONNREFUSED') }]);
});

test.skipIf(!hasSlapd)('the certificate is looked at behind StartTLS too (needs slapd)', async () => {
  const slapd = await Slapd.start();
  onTestFinished(() => slapd.stop());
  await writeFile(join(dir, 'ca.pem'), slapd.certificate.ca);
  const lines = ['ldap.starttls = true', 'ldap.ca.file = ca.pem', `ldap.urls = ${slapd.url}/${slapdBase}`];
  const manager = ['ldap.manager.dn = cn=manager', `ldap.manager.password = ${slapdManager.password}`];
  await writeFile(
    join(dir, 'ldap.properties'),
    [...lines, ...manager, 'ldap.user.search.filter = (uid={0})'].join('\n'),
  );
  const { of } = await examineWith('authenticationProviders = ldap', 'ldapPropertySource = ldap.properties');
  expect(of('certificate')).toMatchObject([
    { status: 'ok', text: expect.stringMatching(/^the certificate of ldap:\/\/localhost expires in \d+ days/) },
  ]);
  expect(of('ldap').filter(({ status }) => status !== 'ok')).toEqual([]);
});

test.each([
  ['smtp', false],
  ['smtps', true],
])('the certificate of a mail server is looked at: %s', async (scheme, secure) => {
  const notAfterDate = new Date(Date.now() + 10 * 86_400_000);
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'mail' }], {
    keySize: 2048,
    notAfterDate,
  });
  const mail = await MailServer.start({ key, cert, secure, disabledCommands: [] });
  const plain = await MailServer.start();
  onTestFinished(() => Promise.all([mail.stop(), plain.stop()]).then(() => undefined));
  const subscriber = (name: string, url: string) => [
    `subscriber.${name}.kind = email`,
    `subscriber.${name}.smtpUrl = ${url}`,
    `subscriber.${name}.smtpFrom = log@example.org`,
    `subscriber.${name}.to = a@example.org`,
  ];
  const lines = [...subscriber('one', `${scheme}://127.0.0.1:${mail.port}`), ...subscriber('two', plain.url)];
  const { of } = await examineWith(...lines);
  expect(of('certificate')).toMatchObject([
    { status: 'warning', text: expect.stringContaining(`certificate of ${scheme}://127.0.0.1 expires in 10 days`) },
  ]);
  expect(of('subscriber two')).toMatchObject([{ status: 'ok' }]);
});

test('a run by another user, and files that the user of the service cannot read, are reported', async () => {
  if (process.getuid?.() !== 0) return;
  const own = join(dir, 'of-nobody');
  await mkdir(own, { mode: 0o700 });
  const file = join(dir, 'secret.properties');
  await writeFile(file, '', { mode: 0o600 });
  await chown(own, 65_534, 65_534);
  const text = expect.stringContaining(`the user nobody cannot read ${file}`);
  await chmod(dir, 0o700);
  const closed = expect.stringContaining(`Let this user enter ${dir}`);
  expect([...checkUser(own, [file])]).toMatchObject([{ check: 'user', status: 'problem', text, advice: closed }]);
  await chmod(dir, 0o755);
  const unreadable = expect.stringContaining('root:nobody with the mode 0640');
  expect([...checkUser(own, [file])]).toMatchObject([{ check: 'user', status: 'problem', text, advice: unreadable }]);
  await chmod(file, 0o644);
  expect([...checkUser(own, [file])]).toMatchObject([
    { status: 'ok', text: expect.stringContaining('as root; nobody') },
  ]);
  expect([...checkUser(dir, [file])]).toMatchObject([
    { status: 'ok', text: expect.stringContaining('examined as root') },
  ]);
});

test('files of root that the user of the service cannot use are reported, with the command that repairs them', async () => {
  if (process.getuid?.() !== 0) return;
  const place = join(dir, 'owners');
  const [data, target] = [join(place, 'data'), join(place, 'back ups')];
  await mkdir(join(data, 'attachments'), { recursive: true });
  await mkdir(join(target, 'pool'), { recursive: true, mode: 0o700 });
  await mkdir(join(target, 'lost+found'), { mode: 0o700 });
  await writeFile(join(data, 'logbook.sqlite'), '', { mode: 0o644 });
  await writeFile(join(data, 'attachments', 'a'), '', { mode: 0o644 });
  for (const path of [data, join(data, 'attachments')]) await chmod(path, 0o755);
  for (const path of ['logbook.sqlite', 'attachments/a']) await chmod(join(data, path), 0o644);
  await chown(data, 65_534, 65_534);
  await chmod(dir, 0o755);
  const configFile = join(place, 'logbook.properties');
  await writeFile(configFile, `dataDir = ${data}\nbackupTarget = ${target}`);
  const { options } = loadConfig({ flags: {}, properties: {}, configFile }, {});
  const examineOwners = async () => {
    const found: Diagnosis[] = [];
    for await (const one of checkOwners(options, false)) found.push(one);
    return found;
  };
  const problem = (path: string, mode: string, more: string, advice: string) => ({
    ...{ check: 'owner', status: 'problem', advice },
    text: `${path} belongs to root:root with the mode ${mode}; the service runs as nobody, who cannot use it${more}`,
  });
  expect(await examineOwners()).toEqual([
    problem(join(data, 'attachments'), '0755', `, nor 1 more in ${data}`, `Run “sudo chown -R nobody: ${data}”.`),
    problem(target, '0700', '', `Run “sudo chown -R nobody: '${target}'”.`),
  ]);
  // A directory with more files than are examined does not hide a file of its parent.
  await chown(join(data, 'attachments'), 65_534, 65_534);
  for (let at = 0; at < 20_000; at++) writeFileSync(join(data, 'attachments', `b${at}`), '');
  await chmod(join(data, 'logbook.sqlite'), 0o600);
  expect(await examineOwners()).toMatchObject([
    { text: expect.stringContaining(`${join(data, 'logbook.sqlite')} belongs to root`) },
    { text: expect.stringContaining(target) },
  ]);
  await chown(join(data, 'logbook.sqlite'), 65_534, 65_534);
  await chown(target, 65_534, 65_534);
  expect(await examineOwners()).toMatchObject([
    { text: expect.stringContaining(`${join(target, 'pool')} belongs to root`) },
  ]);
  await chown(join(target, 'pool'), 65_534, 65_534);
  expect(await examineOwners()).toEqual([]);
  await chmod(place, 0o700);
  const closed = `Let nobody enter it, such as with “sudo chmod o+x ${place}”.`;
  expect(await examineOwners()).toMatchObject([{ advice: closed }, { advice: closed }]);
});

test.each([
  ['20.18.0', 'problem'],
  ['20.19.4', 'warning'],
  ['24.1.0', 'ok'],
])('Node.js %s: %s', (version, status) => {
  expect(checkNode(version).status).toBe(status);
  expect(checkNode(version, true).status).toBe(status === 'problem' ? 'problem' : 'ok');
});
