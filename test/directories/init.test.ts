import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../fixtures/free-port.js';
import { LogbookProcess, mainFile } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { makeCertificate } from './certificates.js';
import { hasSlapd, Slapd, slapdBase } from './slapd.js';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

describe.skipIf(!hasSlapd)('logbook init (needs slapd)', () => {
  let slapd: Slapd;
  let dir: string;
  let certificate: string;
  let key: string;
  beforeAll(async () => {
    slapd = await Slapd.start();
    dir = await makeTempDir();
    await chmod(dir, 0o755);
    ({ certificateFile: certificate, keyFile: key } = await makeCertificate(dir, 'localhost', '127.0.0.1'));
    await writeFile(join(dir, 'directory-ca.pem'), slapd.certificate.ca);
    if (isRoot) for (const file of [certificate, key, join(dir, 'directory-ca.pem')]) await chown(file, 0, nobody);
    for (const file of [certificate, key, join(dir, 'directory-ca.pem')]) await chmod(file, 0o640);
  });
  afterAll(async () => {
    await slapd?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const file = () => join(dir, 'site', 'logbook.properties');
  const asUser = isRoot ? ['--service-user', 'nobody'] : [];

  /** Runs the command with these lines as its input. */
  async function init(flags: readonly string[], answers: readonly string[] = []) {
    const child = spawn(process.execPath, [mainFile, 'init', '--output', file(), ...asUser, ...flags], {
      env: { PATH: process.env.PATH },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    child.stdin.on('error', () => undefined);
    child.stdin.end(answers.map((line) => `${line}\n`).join(''));
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  }

  const directory = () => ['ldap', slapd.tlsUrl, join(dir, 'directory-ca.pem'), slapdBase, '', '', 'operators'];

  test('writes nothing when a sign-in fails, the key is another one, or the input ends', async () => {
    const other = await makeCertificate(await makeTempDir(), 'localhost', '127.0.0.1');
    const begin = ['localhost', certificate];
    const refused = await init([], [...begin, key, ...directory(), 'Jane', 'wrong-one', '']);
    expect(refused).toEqual({
      code: 78,
      output: expect.stringContaining('Jane cannot sign in, and nothing was written'),
    });
    expect(refused.output).not.toContain('wrong-one');
    const wrongKey = await init([], [...begin, other.keyFile, ...directory(), 'Jane', 'jane:pass:word', '']);
    expect(wrongKey).toEqual({ code: 78, output: expect.stringContaining('does not belong to the certificate in') });
    expect(await init([], begin)).toEqual({ code: 64, output: expect.stringContaining('the input ended') });
    expect(await init(['--yes'])).toEqual({
      code: 64,
      output: expect.stringContaining('--directory: an answer is needed'),
    });
    expect(await readdir(join(dir, 'site')).catch(() => [])).toEqual([]);
  });

  test('leaves no directory behind when it fails, and refuses a certificate that has expired', async () => {
    const away = join(dir, 'away');
    const flags = ['--output', join(away, 'deep', 'x.properties'), '--backups', join(away, 'backups')];
    const answers = ['localhost', certificate, key, ...directory(), 'Jane', 'wrong-one'];
    expect(await init(flags, answers)).toMatchObject({ code: 78 });
    await writeFile(join(dir, 'a-file'), '');
    const noDirectory = ['--output', join(away, 'x.properties'), '--backups', join(dir, 'a-file', 'x')];
    const right = [...answers.slice(0, -1), 'jane:pass:word'];
    expect(await init(noDirectory, right)).toEqual({
      code: 1,
      output: expect.stringMatching(/No configuration was written: .*a-file.* is not a directory/),
    });
    expect(await readdir(dir)).not.toContain('away');
    const old = { certificate: join(dir, 'old.pem'), key: join(dir, 'old-key.pem') };
    const year = { notBeforeDate: new Date('2020-01-01'), notAfterDate: new Date('2021-01-01') };
    const made = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048, ...year });
    await writeFile(old.certificate, made.cert);
    await writeFile(old.key, made.private);
    const expired = await init(
      [],
      ['localhost', old.certificate, old.key, ...directory(), 'Jane', 'jane:pass:word', ''],
    );
    expect(expired).toEqual({ code: 78, output: expect.stringMatching(/old\.pem expired on .*2021/) });
  });

  test('ends at Ctrl-C and at a signal, and leaves nothing behind', async () => {
    const command = [process.execPath, mainFile, 'init', '--output', file(), ...asUser];
    const script = `
import os, pty, sys
child, terminal = pty.fork()
if child == 0: os.execv(${JSON.stringify(process.execPath)}, ${JSON.stringify(command)})
seen = b''
while b'https://' not in seen: seen += os.read(terminal, 4096)
os.write(terminal, b'\\x03')
try:
  while True:
    more = os.read(terminal, 4096)
    if not more: break
    seen += more
except OSError: pass
print(seen.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))`;
    const ended = spawnSync('python3', ['-c', script], { encoding: 'utf8' });
    expect([ended.status, ended.stdout]).toEqual([
      1,
      expect.stringContaining('No configuration was written: stopped by SIGINT'),
    ]);
    expect(await readdir(join(dir, 'site')).catch(() => [])).toEqual([]);
  });

  test('writes a configuration with which the service starts, and replaces none without being asked to', async () => {
    const backups = join(dir, 'backups');
    const port = await freePort();
    const answers = [
      'not a name',
      `localhost:${port}`,
      certificate,
      key,
      ...directory(),
      'Jane',
      'jane:pass:word',
      backups,
    ];
    const { code, output } = await init(['--data', join(dir, 'data')], answers);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('ldap accepts Jane, in “operators”') });
    expect(output).toContain('write a host name');
    expect((await readdir(join(dir, 'site'))).sort()).toEqual(['ldap.properties', 'logbook.properties']);
    const owners = [file(), join(dir, 'site', 'ldap.properties'), backups].map((path) => stat(path));
    const modes = (await Promise.all(owners)).map(({ mode, uid, gid }) => [(mode & 0o777).toString(8), uid, gid]);
    if (isRoot)
      expect(modes).toEqual([
        ['640', 0, nobody],
        ['640', 0, nobody],
        ['700', nobody, nobody],
      ]);
    expect(await readFile(file(), 'utf8')).not.toMatch(/jane:pass|inMemory/);

    const logbook = await LogbookProcess.start('', {
      args: ['serve', '--config', file()],
      env: { LOGBOOK_DATA_DIR: '', LOGBOOK_HTTP_PORT: '', LOGBOOK_HTTPS_PORT: '' },
    });
    try {
      expect(logbook.output).toMatch(/sign in +ldap\n/);
      expect(logbook.output).toContain(join(dir, 'data'));
      expect(logbook.tlsOrigin).toContain(`:${port}`);
    } finally {
      expect(await logbook.stop()).toBe(0);
    }

    const password = join(dir, 'password');
    await writeFile(password, 'jane:pass:word\n');
    const flags = ['--yes', '--sign-in', 'ldap', '--directory', slapd.tlsUrl, '--base-dn', slapdBase];
    flags.push(
      '--directory-ca',
      join(dir, 'directory-ca.pem'),
      '--test-user',
      'jane',
      '--test-password-file',
      password,
    );
    expect(await init(flags)).toEqual({ code: 78, output: expect.stringContaining('--overwrite replaces it') });
    expect(await readFile(file(), 'utf8')).toContain(`:${port}`);
    expect(await init([], [''])).toEqual({ code: 78, output: expect.stringContaining('was not changed') });
    const beside = ['--output', join(dir, 'site', 'other.properties')];
    expect(await init([...flags, ...beside])).toEqual({
      code: 78,
      output: expect.stringContaining('ldap.properties exists. --overwrite replaces it'),
    });
    expect(await init([...flags, '--output', join(dir, 'site', 'ldap.properties'), '--overwrite'])).toMatchObject({
      code: 64,
    });
    const admins = 'Schicht "Ä" = #1 \\ !';
    const overwrite = [...flags, '--overwrite', '--admins', admins, '--name', 'log.example.org'];
    expect(await init(overwrite)).toMatchObject({ code: 0 });
    const config = spawnSync(process.execPath, [mainFile, 'config', '--config', file()], {
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    });
    expect(config.stdout + config.stderr).toContain(`adminGroups = ${admins}  # `);
    expect(await readFile(file(), 'utf8')).toContain('publicUrl = https://log.example.org:8181');
    expect(await readFile(`${file()}.old`, 'utf8')).toContain(`:${port}`);
    expect(await init([...flags, '--overwrite', '--name', 'log.example.org:443'])).toMatchObject({ code: 0 });
    expect(await readFile(file(), 'utf8')).toMatch(/httpsPort = 443\npublicUrl = https:\/\/log.example.org\n/);
  });
});
