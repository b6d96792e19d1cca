import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AuthenticationProvider } from '../../src/auth/authentication-provider.port.js';
import { activeDirectoryProvider } from '../../src/integrations/ldap/active-directory-provider.js';
import type { LdapOptions } from '../../src/integrations/ldap/ldap-options.js';
import { ldapProvider } from '../../src/integrations/ldap/ldap-provider.js';
import { freePort } from '../fixtures/free-port.js';
import { recordingLog } from '../fixtures/log.js';
import {
  BrokenServer,
  bindResponse,
  entryMessage,
  extendedResponse,
  resultMessage,
  searchDone,
} from './broken-server.js';
import { makeCertificate, type ServerCertificate } from './certificates.js';
import { directoryUnavailable, unavailableMessage } from './expectations.js';

/** Time-outs for a directory that hangs. No test of a directory that answers depends on them. */
const impatient = { connectTimeoutMs: 300, operationTimeoutMs: 300 };
const patient = { connectTimeoutMs: 60_000, operationTimeoutMs: 60_000 };
const credentials = { userName: 'jane', password: 'secret-password' };
const bindRequest = 0x60;
const searchRequest = 0x63;

let servers: BrokenServer[] = [];
let providers: AuthenticationProvider[] = [];
const logged: string[] = [];
let certificate: ServerCertificate;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'logbook-certificate-'));
  certificate = await makeCertificate(dir, 'localhost', '127.0.0.1');
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(providers.map((provider) => provider.close()));
  await Promise.all(servers.map((server) => server.stop()));
  [servers, providers] = [[], []];
  logged.length = 0;
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const { log } = recordingLog(logged);

async function serve(misbehave: (socket: Socket, request: Buffer) => void): Promise<BrokenServer> {
  const server = await BrokenServer.start(misbehave);
  servers.push(server);
  return server;
}

function connection(urls: string[]) {
  return { urls, startTls: false, caCertificates: certificate.ca, ...patient };
}

function ldap(urls: string[], settings: Partial<LdapOptions> = {}): AuthenticationProvider {
  const none = {
    nameAttribute: 'uid',
    userDnPattern: undefined,
    userSearch: undefined,
    groupSearch: undefined,
    manager: undefined,
  };
  const provider = ldapProvider('ldap', { ...connection(urls), ...none, ...settings }, log);
  providers.push(provider);
  return provider;
}

const byPattern = { userDnPattern: 'uid={0},ou=people,dc=logbook,dc=example' };
const bySearch = { userSearch: { base: 'dc=logbook,dc=example', filter: '(uid={0})' } };
const managed = { ...bySearch, manager: { dn: 'cn=manager', password: 'secret-password' } };

/** Accepts every bind and finds nothing. */
function acceptEveryBind(socket: Socket, request: Buffer): void {
  if (request[5] === bindRequest) socket.write(resultMessage(request, bindResponse, 0));
  if (request[5] === searchRequest) socket.write(resultMessage(request, searchDone, 0));
}

/** Accepts every bind and finds the user. */
function acceptJane(socket: Socket, request: Buffer): void {
  if (request[5] === searchRequest)
    socket.write(entryMessage(request, 'uid=jane,ou=people,dc=logbook,dc=example', 'jane'));
  acceptEveryBind(socket, request);
}

describe('a directory that', () => {
  const misbehaviours: [string, (socket: Socket, request: Buffer) => void][] = [
    ['hangs', () => undefined],
    ['hangs up', (socket) => socket.destroy()],
    ['closes the connection properly', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['closes in the middle of a response', (socket, q) => socket.end(resultMessage(q, bindResponse, 0).subarray(0, 9))],
    [
      'stops in the middle of a response',
      (socket, q) => socket.write(resultMessage(q, bindResponse, 0).subarray(0, 9)),
    ],
    ['responds with HTTP', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['responds with zeros', (socket) => socket.write(Buffer.alloc(1_000))],
    ['announces a huge response', (socket) => socket.write(Buffer.from('30847ffffff0201', 'hex'))],
    ['responds to another request', (socket) => socket.write(Buffer.from('300c02017f61070a010004000400', 'hex'))],
    ['sends a malformed response', (socket) => socket.write(Buffer.from('300c02010261070a0900ffffffff', 'hex'))],
    ['responds endlessly', (socket) => void floodWith(socket)],
  ];

  describe.each(misbehaviours)('%s is unavailable within the time-outs', (_name, misbehave) => {
    test.each<[string, (url: string) => AuthenticationProvider]>([
      ['with a DN pattern', (url) => ldap([url], { ...byPattern, ...impatient })],
      ['with an anonymous search', (url) => ldap([url], { ...bySearch, ...impatient })],
      ['with a search by the manager', (url) => ldap([url], { ...managed, ...impatient })],
    ])('%s', async (_way, open) => {
      const server = await serve(misbehave);
      const message = await unavailableMessage(open(`ldap://${server.address}`).authenticate(credentials));
      expect(message).toBe(directoryUnavailable);
      expect(logged).toHaveLength(1);
      expect(logged[0]).not.toContain('secret-password');
    });

    test.each(['ldaps', 'StartTLS'])('over %s', async (way) => {
      const server = await serve(misbehave);
      const url = `${way === 'ldaps' ? 'ldaps' : 'ldap'}://${server.address}`;
      await unavailableMessage(ldap([url], { ...byPattern, ...impatient, startTls: true }).authenticate(credentials));
      expect(server.received).not.toContain('secret-password');
    });
  });

  test('refuses connections is unavailable', async () => {
    const urls = [`ldap://127.0.0.1:${await freePort()}`];
    expect(await unavailableMessage(ldap(urls, byPattern).authenticate(credentials))).toBe(directoryUnavailable);
    const baseDn = 'dc=logbook,dc=example';
    const names = { domain: 'logbook.example', baseDn, groupBaseDn: baseDn, nameAttribute: 'sAMAccountName' };
    const domain = { ...connection(urls), ...names, manager: undefined };
    await unavailableMessage(activeDirectoryProvider(domain, log).authenticate(credentials));
    expect(logged.join()).toContain('ECONNREFUSED');
  });

  test('has a host name that cannot be resolved is unavailable', async () => {
    await unavailableMessage(ldap(['ldap://directory.invalid'], byPattern).authenticate(credentials));
    expect(logged[0]).toContain('unencrypted');
    expect(logged).toHaveLength(2);
  });

  test('hangs after accepting StartTLS is unavailable', async () => {
    const server = await serve((socket, request) => {
      if (server.requestCount === 1) socket.write(resultMessage(request, extendedResponse, 0));
    });
    const provider = ldap([`ldap://${server.address}`], { ...byPattern, ...impatient, startTls: true });
    await unavailableMessage(provider.authenticate(credentials));
  });

  test.each([1, 2, 52, 53])('refuses StartTLS with result code %i never receives the password', async (code) => {
    const server = await serve((socket, request) => socket.write(resultMessage(request, extendedResponse, code)));
    const provider = ldap([`ldap://${server.address}`], { ...byPattern, startTls: true });
    await unavailableMessage(provider.authenticate(credentials));
    expect(server.received).not.toContain('secret-password');
  });

  test('is reached through an attacker who injects a response before the TLS handshake: it is ignored', async () => {
    const secureContext = createSecureContext({
      key: await readFile(certificate.keyFile),
      cert: await readFile(certificate.certificateFile),
    });
    const server = await serve((socket, request) => {
      if (server.requestCount > 1) return;
      // The start of a success response, which would swallow the directory's real response as its diagnostic message.
      const injected = Buffer.from([0x30, 26, 2, 1, 2, bindResponse, 21, 0x0a, 1, 0, 4, 0, 4, 14]);
      socket.removeAllListeners('data');
      socket.write(Buffer.concat([resultMessage(request, extendedResponse, 0), injected]));
      const secured = new TLSSocket(socket, { isServer: true, secureContext });
      secured.on('error', () => undefined);
      secured.on('data', (bind) => secured.write(resultMessage(bind, bindResponse, 49)));
    });
    const provider = ldap([`ldap://${server.address}`], { ...byPattern, startTls: true });
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
  });
});

describe('a response to the user’s bind with result code', () => {
  const respondWith = (code: number) =>
    serve((socket, request) => socket.write(resultMessage(request, bindResponse, code)));

  test.each([32, 34, 48, 49])('%i: unknown user', async (code) => {
    const server = await respondWith(code);
    const provider = ldap([`ldap://${server.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
  });

  test.each([10, 19, 53])('%i: refused, with a reason', async (code) => {
    const server = await respondWith(code);
    const provider = ldap([`ldap://${server.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'refused', reason: expect.any(String) });
  });

  test.each([1, 2, 7, 8, 13, 14, 50, 51, 52, 80])('%i: unavailable', async (code) => {
    const server = await respondWith(code);
    await unavailableMessage(ldap([`ldap://${server.address}`], byPattern).authenticate(credentials));
    expect(logged).toHaveLength(1);
  });
});

describe('of two servers', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['hangs', () => undefined],
    ['hangs up', (socket) => socket.destroy()],
  ])('the second is used when the first %s, and then tried first for a while', async (name, misbehave) => {
    const [first, second] = [await serve(misbehave), await serve(acceptJane)];
    const provider = ldap([`ldap://${first.address}`, `ldap://${second.address}`], byPattern);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const signedIn = provider.authenticate(credentials);
    await expect.poll(() => first.requestCount).toBe(1);
    if (name === 'hangs') vi.advanceTimersByTime(patient.operationTimeoutMs);
    expect(await signedIn).toMatchObject({ kind: 'accepted' });
    for (let i = 0; i < 2; i++) {
      expect(await provider.authenticate(credentials)).toMatchObject({ kind: 'accepted' });
    }
    expect(first.requestCount).toBe(1);
    expect(logged[0]).toContain(first.address);
  });

  test('the second is used when the first refuses connections', async () => {
    const second = await serve(acceptJane);
    const provider = ldap([`ldap://127.0.0.1:${await freePort()}`, `ldap://${second.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toMatchObject({ kind: 'accepted' });
  });

  test('the second is not used when the first does not know the user', async () => {
    const first = await serve((socket, request) => socket.write(resultMessage(request, bindResponse, 49)));
    const second = await serve(acceptJane);
    const provider = ldap([`ldap://${first.address}`, `ldap://${second.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
    expect(second.requestCount).toBe(0);
  });

  test('a first that failed is tried again when the second fails too', async () => {
    let isUp = false;
    const first = await serve((socket, request) => (isUp ? acceptJane(socket, request) : socket.destroy()));
    const second = await serve((socket, request) => (isUp ? socket.destroy() : acceptJane(socket, request)));
    const provider = ldap([`ldap://${first.address}`, `ldap://${second.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toMatchObject({ kind: 'accepted' });
    isUp = true;
    expect(await provider.authenticate(credentials)).toMatchObject({ kind: 'accepted' });
  });
});

test('a pooled connection that fails with the next request is replaced without an error', async () => {
  const requests = new Map<Socket, number>();
  const server = await serve((socket, request) => {
    requests.set(socket, 1 + (requests.get(socket) ?? 0));
    // A bind and a search, and no more.
    if (requests.get(socket) === 3) socket.resetAndDestroy();
    else acceptEveryBind(socket, request);
  });
  const provider = ldap([`ldap://${server.address}`], managed);
  for (let i = 0; i < 3; i++) expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
  expect(requests.size).toBe(3);
  expect(logged).toEqual([]);
});

test('while a directory hangs, many users wait no longer than the time-outs, on few connections', async () => {
  const server = await serve(() => undefined);
  const provider = ldap([`ldap://${server.address}`], { ...byPattern, ...impatient });
  await Promise.all(Array.from({ length: 200 }, () => unavailableMessage(provider.authenticate(credentials))));
  expect(server.requestCount).toBeLessThan(100);
});

async function floodWith(socket: Socket): Promise<void> {
  socket.write(Buffer.from('308447ffffff', 'hex'));
  while (!socket.destroyed) {
    socket.write(Buffer.alloc(65_536, 0x30));
    await sleep(1);
  }
}
