import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { listening } from '../fixtures/local-server.js';
import { LogbookProcess, mainFile, type ProcessOptions } from '../fixtures/process.js';
import { openSocket, rawRequest } from '../fixtures/raw-http.js';
import { call, makeTempDir } from '../fixtures/service.js';

const entry = { title: 'From outside', logbooks: [{ name: 'operations' }] };

let dir: string;
let running: LogbookProcess[];
beforeEach(async () => {
  dir = await makeTempDir();
  running = [];
});
afterEach(async () => {
  for (const logbook of running) {
    logbook.signal('SIGKILL');
    await logbook.exit();
  }
  await rm(dir, { recursive: true, force: true });
});

async function start(options: ProcessOptions = {}, dataDir = join(dir, 'data')): Promise<LogbookProcess> {
  const logbook = LogbookProcess.spawn(dataDir, options);
  running.push(logbook);
  await logbook.ready();
  return logbook;
}

/** Runs the program until it ends on its own; resolves to its exit code and output. */
async function run(
  options: ProcessOptions,
  dataDir = join(dir, 'data'),
): Promise<{ code: number | null; output: string; errors: string }> {
  const logbook = LogbookProcess.spawn(dataDir, options);
  running.push(logbook);
  const code = await logbook.exit();
  return { code, output: logbook.output, errors: logbook.errors };
}

/** Sends a request over TLS that accepts any certificate; resolves to the response and the fingerprint. */
async function callTls(
  url: string,
  method = 'GET',
  body?: string,
): Promise<{ status: number; text: string; fingerprint: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Basic ${btoa('user:userPass')}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = request(url, { method, headers, rejectUnauthorized: false, agent: false }, (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, fingerprint: fingerprint256 }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the program', () => {
  test('starts with nothing configured but free ports, and prints its addresses, its data directory and how to sign in', async () => {
    const logbook = await start();
    expect(logbook.output).toContain(`${logbook.base}\n`);
    expect(logbook.output).toContain(`${logbook.tlsOrigin}/logbook\n`);
    expect(logbook.output).toContain(join(dir, 'data'));
    expect(logbook.output).toContain('admin / adminPass');
    expect(logbook.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('prints all sign-in methods in their order', async () => {
    const directory = join(dir, 'directory.properties');
    await writeFile(directory, 'embedded_ldap.port = 0\n');
    const env = {
      LOGBOOK_AUTHENTICATION_PROVIDERS: 'embeddedLdap, inMemory',
      LOGBOOK_EMBEDDED_LDAP_PROPERTY_SOURCE: directory,
      LOGBOOK_OIDC_ISSUER: 'http://127.0.0.1:1',
      LOGBOOK_OIDC_CLIENT_ID: 'logbook',
    };
    expect((await start({ env })).output).toMatch(
      /sign in +embeddedLdap, inMemory \(admin \/ adminPass .*\), browsers at \/logbook\/login\/oidc\n/,
    );
  });

  test('serves one application on both listeners', async () => {
    const logbook = await start();
    const created = await call(`${logbook.base}/logs`, { method: 'PUT', json: entry });
    expect(created.status).toBe(200);
    const read = await callTls(`${logbook.tlsOrigin}/logbook/logs/${created.body.id}`);
    expect([read.status, JSON.parse(read.text)]).toEqual([200, created.body]);
    const second = await callTls(`${logbook.tlsOrigin}/logbook/logs`, 'PUT', JSON.stringify(entry));
    expect((await call(`${logbook.base}/logs/${JSON.parse(second.text).id}`)).body).toEqual(JSON.parse(second.text));
    const page = await callTls(`${logbook.tlsOrigin}/swagger-ui/index.html`);
    expect(page.status).toBe(200);
  });

  test.each([
    ['httpPort', 'plain HTTP'],
    ['httpsPort', 'TLS'],
  ])('with %s=off serves the other listener only, and names both', async (name, label) => {
    const logbook = await start({ args: [`-D${name}=off`] });
    expect(logbook.output).toMatch(new RegExp(`^ +${label} +off$`, 'm'));
    const { status } = name === 'httpPort' ? await callTls(`${logbook.tlsOrigin}/logbook`) : await call(logbook.base);
    expect(status).toBe(200);
    expect(await logbook.stop()).toBe(0);
    expect(logbook.errors).toMatch(/"https?":"off".*"msg":"listening"/);
  });

  test('creates its certificate once, readable by its owner only', async () => {
    const first = await start();
    const { fingerprint } = await callTls(`${first.tlsOrigin}/logbook`);
    expect(await first.stop()).toBe(0);
    const key = await stat(join(dir, 'data', 'tls', 'key.pem'));
    expect(key.mode & 0o077).toBe(0);
    const second = await start();
    expect((await callTls(`${second.tlsOrigin}/logbook`)).fingerprint).toBe(fingerprint);
  });

  test('accepts a configured certificate as PEM and as PKCS#12', async () => {
    const first = await start();
    const { fingerprint } = await callTls(`${first.tlsOrigin}/logbook`);
    await first.stop();
    const [certificate, key] = ['certificate.pem', 'key.pem'].map((name) => join(dir, 'data', 'tls', name)) as [
      string,
      string,
    ];
    const pem = await start(
      { env: { LOGBOOK_TLS_CERTIFICATE_FILE: certificate, LOGBOOK_TLS_KEY_FILE: key } },
      join(dir, 'pem'),
    );
    expect((await callTls(`${pem.tlsOrigin}/logbook`)).fingerprint).toBe(fingerprint);
    expect(await readdir(join(dir, 'pem'))).not.toContain('tls');

    const pkcs12 = join(dir, 'identity.p12');
    const openssl = spawn('openssl', [
      'pkcs12',
      '-export',
      '-in',
      certificate,
      '-inkey',
      key,
      '-out',
      pkcs12,
      '-passout',
      'pass:secret',
    ]);
    expect(await once(openssl, 'exit')).toEqual([0, null]);
    const p12 = await start(
      { env: { LOGBOOK_TLS_PKCS12_FILE: pkcs12, LOGBOOK_TLS_PKCS12_PASSWORD: 'secret' } },
      join(dir, 'p12'),
    );
    expect((await callTls(`${p12.tlsOrigin}/logbook`)).fingerprint).toBe(fingerprint);
    const wrong = await run(
      { env: { LOGBOOK_TLS_PKCS12_FILE: pkcs12, LOGBOOK_TLS_PKCS12_PASSWORD: 'wrong-one' } },
      join(dir, 'p12b'),
    );
    expect(wrong.code).toBe(78);
    expect(wrong.errors).toContain(`The password in tlsPkcs12Password does not open ${pkcs12} (tlsPkcs12File).`);
    expect(wrong.errors + wrong.output).not.toContain('wrong-one');
  });

  test('keeps all entries across a restart', async () => {
    const first = await start();
    const created = await call(`${first.base}/logs`, { method: 'PUT', json: entry });
    await first.stop();
    const second = await start();
    expect((await call(`${second.base}/logs/search`)).body).toEqual({ hitCount: 1, logs: [created.body] });
  });

  test('a command whose reader ends first continues to its end, with its exit code', async () => {
    const { code, errors } = await run({ args: ['verify'], env: {} }, join(dir, 'nowhere'));
    expect([code, errors]).toEqual([2, expect.stringContaining('--config')]);
    const child = spawn(process.execPath, [mainFile, 'doctor'], {
      env: { PATH: process.env.PATH, LOGBOOK_DATA_DIR: join(dir, 'nowhere') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += String(chunk);
    });
    // There are warnings, such as that no backups are configured.
    expect([...(await once(child, 'close')), said]).toEqual([1, null, '']);
  });

  test('rebuild-index rebuilds the search index and changes nothing else', async () => {
    const first = await start();
    const created = await call(`${first.base}/logs`, { method: 'PUT', json: entry });
    const used = await run({ args: ['rebuild-index'] });
    expect([used.code, used.errors]).toEqual([1, expect.stringContaining('Another process is using')]);
    await first.stop();
    const rebuilt = await run({ args: ['rebuild-index'] });
    expect([rebuilt.code, rebuilt.output]).toEqual([0, '1 of 1 write in the index.\nThe search index is complete.\n']);
    const nowhere = await run({ args: ['rebuild-index'] }, join(dir, 'nowhere'));
    expect([nowhere.code, nowhere.errors]).toEqual([1, expect.stringContaining('There is no logbook in')]);
    const second = await start();
    expect((await call(`${second.base}/logs/search`)).body).toEqual({ hitCount: 1, logs: [created.body] });
  });

  test('fills an empty store from a catalogue file in place of the built-in catalogue', async () => {
    const file = join(dir, 'catalog.json');
    await writeFile(
      file,
      JSON.stringify({
        levels: [{ name: 'Routine', defaultLevel: true }],
        logbooks: [{ name: 'Beamline 7', owner: 'bl7' }],
      }),
    );
    const first = await start({ args: ['--initial-catalog-file', file] });
    expect((await call(`${first.base}/configuration`)).body).toEqual({
      levels: ['Routine'],
      logbooks: [{ name: 'Beamline 7', owner: 'bl7', state: 'Active' }],
      tags: [],
    });
    await first.stop();
    const second = await start();
    expect((await call(`${second.base}/levels`)).body).toEqual([{ name: 'Routine', defaultLevel: true }]);
  });

  test('logs a request with the client’s name at limited length, and without credentials', async () => {
    const logbook = await start();
    await call(`${logbook.base}/logs`, { headers: { 'x-logbook-client-info': `Desktop ${'x'.repeat(500)}` } });
    await logbook.stop();
    const line = logbook.errors.split('\n').find((one) => one.includes('clientInfo')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      method: 'GET',
      status: 200,
      clientInfo: expect.stringMatching(/^Desktop x{192}$/),
    });
    expect(logbook.errors).not.toMatch(/userPass|Basic /);
  });

  test('warns when the evaluation users can sign in from other hosts', async () => {
    const logbook = await start({ env: { LOGBOOK_HOST: '0.0.0.0' } });
    await logbook.stop();
    expect(logbook.output).toMatch(/WARNING: The evaluation users/);
    expect(logbook.errors).toMatch(/evaluation users/);
    const quiet = await start();
    await quiet.stop();
    expect(quiet.output + quiet.errors).not.toMatch(/evaluation users/);
  });
});

describe('the program stops', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('on %s with exit code 0', async (signal) => {
    const logbook = await start();
    expect(await logbook.stop(signal)).toBe(0);
  });

  test('after the request in progress; new connections are refused', async () => {
    const logbook = await start();
    const body = JSON.stringify(entry);
    const socket = openSocket(logbook.origin);
    const head = { 'content-type': 'application/json', 'content-length': String(body.length) };
    socket.write(rawRequest('PUT', '/logbook/logs', head, body.slice(0, 10)));
    // The request has arrived once a later one has its response.
    await call(logbook.base);
    logbook.signal('SIGTERM');
    await expect
      .poll(() =>
        call(logbook.base).then(
          () => 'answered',
          () => 'refused',
        ),
      )
      .toBe('refused');
    socket.write(body.slice(10));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200/);
    expect(await logbook.exit()).toBe(0);
    const again = await start();
    expect((await call(`${again.base}/logs/search`)).body.hitCount).toBe(1);
  });

  test('and leaves one complete database file, and no log of the database or the index', async () => {
    const logbook = await start();
    const created = await call(`${logbook.base}/logs`, { method: 'PUT', json: entry });
    await Promise.all(Array.from({ length: 20 }, () => call(`${logbook.base}/logs/search`)));
    await logbook.stop();
    expect((await readdir(join(dir, 'data'))).filter((file) => /-(wal|shm)$/.test(file))).toEqual([]);
    await mkdir(join(dir, 'copy'));
    await copyFile(join(dir, 'data', 'logbook.sqlite'), join(dir, 'copy', 'logbook.sqlite'));
    const copy = await start({}, join(dir, 'copy'));
    expect((await call(`${copy.base}/logs/${created.body.id}`)).body).toEqual(created.body);
  });

  test('in time when clients never finish their requests; one that sends slowly gets its answer', async () => {
    const logbook = await start();
    const begin = (bytes: Buffer | string, origin = logbook.origin) => {
      const socket = openSocket(origin);
      socket.write(bytes);
      return { socket, closed: once(socket, 'close') };
    };
    const head = (length: number) => ({ 'content-type': 'application/json', 'content-length': String(length) });
    const withoutEnd = begin('GET /logbook HTTP/1.1\r\nhost: ');
    const withoutHandshake = ['', '\x16\x03\x01'].map((bytes) => begin(bytes, logbook.tlsOrigin));
    for (const { socket } of withoutHandshake) if (socket.connecting) await once(socket, 'connect');
    const stalled = begin(rawRequest('PUT', '/logbook/logs', head(100), '{'));
    const body = JSON.stringify({ ...entry, source: 'slow '.repeat(100) });
    const slow = begin(rawRequest('PUT', '/logbook/logs', head(body.length), ''));
    await call(logbook.base);
    logbook.signal('SIGTERM');
    let sent = 0;
    const sending = setInterval(() => slow.socket.write(body.charAt(sent++)), 100);
    await stalled.closed;
    clearInterval(sending);
    slow.socket.write(body.slice(sent));
    const [answer] = await once(slow.socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200/);
    // The time-out of the unit of systemd.
    const limit = setTimeout(() => logbook.signal('SIGKILL'), 60_000);
    for (const { closed } of [withoutEnd, ...withoutHandshake]) await closed;
    expect(await logbook.exit()).toBe(0);
    clearTimeout(limit);
  });
});

describe('signals at other times', () => {
  /** A plug-in that does something while it is loaded. */
  async function plugin(body: string): Promise<ProcessOptions> {
    const file = join(dir, 'plugin.mjs');
    await writeFile(
      file,
      `export default async () => { ${body} return { notifier() {}, close() { console.log('closed'); } }; };`,
    );
    return { args: ['--plugins', file] };
  }

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s during the start closes what is open and ends the process with exit code 0',
    async (signal) => {
      // The timer keeps the process alive until the signal arrives.
      const options = await plugin(`
        const timer = setInterval(() => {}, 1_000);
        const signalled = new Promise((resolve) => process.once('${signal}', resolve));
        console.log('loading');
        await signalled;
        clearInterval(timer);
      `);
      const logbook = LogbookProcess.spawn(join(dir, 'data'), options);
      running.push(logbook);
      await expect.poll(() => logbook.output).toContain('loading');
      expect(await logbook.stop(signal)).toBe(0);
      expect(logbook.output).toBe(`loading\nclosed\n${signal}: start cancelled.\n`);
      expect(logbook.errors).toBe('');
    },
  );

  test('what a plug-in leaves open does not keep the process alive after a stop', async () => {
    const logbook = await start(await plugin('setInterval(() => {}, 1_000);'));
    expect(await logbook.stop()).toBe(0);
    expect(logbook.output).toMatch(/closed\n$/);
  });

  test('a second signal cuts off the requests in flight and ends the process with exit code 1', async () => {
    const logbook = await start();
    const socket = openSocket(logbook.origin);
    const closed = once(socket, 'close');
    socket.write(
      rawRequest('PUT', '/logbook/logs', { 'content-type': 'application/json', 'content-length': '100' }, '{'),
    );
    await call(logbook.base);
    logbook.signal('SIGTERM');
    await expect.poll(() => logbook.output).toContain('SIGTERM: shutting down');
    logbook.signal('SIGTERM');
    expect(await logbook.exit()).toBe(1);
    await closed;
  });
});

describe('the program does not start, and prints one line with the reason', () => {
  const oneLine = /^Logbook cannot start: [^\n]+\n$/;

  test('when a port is taken', async () => {
    const other = await listening(createServer());
    const { port } = other.address() as { port: number };
    for (const name of ['LOGBOOK_HTTP_PORT', 'LOGBOOK_HTTPS_PORT']) {
      const { code, errors } = await run({ env: { [name]: String(port) } });
      expect([code, errors]).toEqual([1, expect.stringMatching(oneLine)]);
      expect(errors).toContain(String(port));
    }
    other.close();
  });

  test('when the host has no address', async () => {
    const { code, errors } = await run({ env: { LOGBOOK_HOST: 'no-host.invalid' } });
    expect([code, errors]).toEqual([1, expect.stringMatching(oneLine)]);
    expect(errors).toContain('no-host.invalid');
  });

  test('when another process uses the data', async () => {
    await start();
    const { code, errors } = await run({});
    expect([code, errors]).toEqual([1, expect.stringMatching(oneLine)]);
    expect(errors).toContain('Another process');
  });

  test('when the data directory is a file, or cannot be written', async () => {
    const file = join(dir, 'file');
    await writeFile(file, '');
    const { code, errors } = await run({}, file);
    expect([code, errors]).toEqual([1, expect.stringMatching(oneLine)]);
    const nowhere = await run({}, '/proc/nowhere/data');
    expect([nowhere.code, nowhere.errors]).toEqual([1, expect.stringMatching(oneLine)]);
    if (process.getuid?.() === 0) return;
    const readOnly = join(dir, 'read-only');
    await mkdir(readOnly);
    await chmod(readOnly, 0o500);
    const refused = await run({}, readOnly);
    expect([refused.code, refused.errors]).toEqual([1, expect.stringMatching(oneLine)]);
  });

  test('when a newer version wrote the data', async () => {
    await (await start()).stop();
    const db = new (await loadSqlite())(join(dir, 'data', 'logbook.sqlite'));
    db.exec('PRAGMA user_version = 999');
    db.close();
    const { code, errors } = await run({});
    expect([code, errors]).toEqual([1, expect.stringMatching(oneLine)]);
    expect(errors).toContain('newer version');
  });

  test('when a configured file does not exist', async () => {
    const catalog = await run({ env: { LOGBOOK_INITIAL_CATALOG_FILE: join(dir, 'nowhere') } });
    expect([catalog.code, catalog.errors]).toEqual([78, expect.stringMatching(oneLine)]);
    expect(catalog.errors).toContain('nowhere');
    const { code, errors } = await run({ env: { LOGBOOK_TLS_PKCS12_FILE: join(dir, 'nowhere') } });
    expect([code, errors]).toEqual([
      78,
      expect.stringMatching(/LOGBOOK_TLS_PKCS12_FILE is “.*nowhere”; file not found/),
    ]);
  });

  test('when the configuration has problems, listing all of them', async () => {
    const file = join(dir, 'logbook.properties');
    await writeFile(file, 'httpPort = many\nmaxFilesize = 1MB\n');
    const { code, errors } = await run({
      args: [
        '--config',
        file,
        '--root-path',
        '/healthz',
        '--data-dir',
        '',
        '-DauthenticationProviders=magic',
        '-Dnonsense=1',
      ],
      env: { LOGBOOK_MAX_REQUEST_SIZE: 'huge', LOGBOOK_DATADIR: 'x', LOGBOOK_HTTP_PORT: '' },
    });
    expect(code).toBe(78);
    for (const problem of [
      'httpPort',
      'maxFilesize',
      '--root-path',
      '--data-dir',
      'magic',
      '-Dnonsense',
      'LOGBOOK_MAX_REQUEST_SIZE',
      'LOGBOOK_DATADIR',
    ]) {
      expect(errors).toContain(problem);
    }
  });

  test.each(['ldap', 'activeDirectory', 'inMemory,nothing'])('for the providers %s', async (schemes) => {
    const { code, errors } = await run({ args: [`-DauthenticationProviders=${schemes}`] });
    expect(code).toBe(78);
    expect(errors).toMatch(/the provider (ldap|active_directory) needs a file|nothing is not a provider/);
  });
});

describe('the command line', () => {
  test('--help --all lists every setting with its default and its variable', async () => {
    const { code, output } = await run({ args: ['serve', '--help', '--all'] });
    expect(code).toBe(0);
    for (const part of [
      '--data-dir',
      'LOGBOOK_DATA_DIR',
      '--max-file-size',
      '15MB',
      'LOGBOOK_CORS_ORIGINS',
      '-D <name=value>',
    ]) {
      expect(output.replace(/\s+/g, ' ')).toContain(part);
    }
  });

  test('config prints each value with its origin; the first source wins; secrets are masked', async () => {
    const file = join(dir, 'logbook.properties');
    await writeFile(
      file,
      'rootPath=/file\nmaxFileSize=3MB\nlogLevel=warn\ntlsPkcs12Password=hidden\nsessionIdleTimeout=1h\n',
    );
    const { output } = await run({
      args: ['config', '--config', file, '--root-path', '/flag', '-DrootPath=/property', '-DmaxFileSize=2MB'],
      env: {
        LOGBOOK_ROOT_PATH: '/environment',
        LOGBOOK_MAX_FILE_SIZE: '1MB',
        LOGBOOK_LOG_LEVEL: 'error',
        authenticationProviders: 'inMemory',
      },
    });
    expect(output).toContain('rootPath = /flag  # --root-path');
    expect(output).toContain('maxFileSize = 2097152  # -DmaxFileSize');
    expect(output).toContain('logLevel = error  # environment variable LOGBOOK_LOG_LEVEL');
    expect(output).toContain(`sessionIdleTimeout = 3600000  # sessionIdleTimeout in ${file}`);
    expect(output).toContain('authenticationProviders = inMemory  # environment variable authenticationProviders');
    expect(output).toContain('tlsPkcs12Password = ********');
    expect(output).not.toContain('hidden');
  });

  test('a former name still works as a flag, and a warning names the new one', async () => {
    const { code, output, errors } = await run({ args: ['config', '--session-timeout', '1h'] });
    expect(code).toBe(0);
    expect(output).toContain('sessionIdleTimeout = 3600000  # --session-timeout\n');
    expect(errors).toBe('Deprecated setting name: --session-timeout. Use sessionIdleTimeout instead.\n');
    const logbook = await start({ args: ['--session-timeout', '1h'] });
    await logbook.stop();
    const warnings = logbook.errors.split('\n').filter((line) => line.includes('deprecated'));
    expect(warnings.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 40, origin: '--session-timeout', replacement: 'sessionIdleTimeout' }),
    ]);
  });

  test('the program is one file that can be run from anywhere', async () => {
    const child = spawn(process.execPath, [mainFile, '--version'], { cwd: dir });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
