import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AuthenticationProvider } from '../../src/auth/authentication-provider.port.js';
import { activeDirectoryProvider } from '../../src/integrations/ldap/active-directory-provider.js';
import { type LdapSettings, ldapProvider } from '../../src/integrations/ldap/ldap-provider.js';
import { recordingLog } from '../fixtures/log.js';
import { BrokenServer, bindResponse, extendedResponse, resultMessage, searchDone } from './broken-server.js';
import { makeCertificate, type ServerCertificate } from './certificates.js';
import { plainSentence, unavailableSentence } from './expectations.js';
import { freePort } from './server-process.js';

const timeoutMs = 300;
/** Generous, for the machine may be busy; a time-out that is missing takes for ever. */
const soonMs = 5_000;
const credentials = { userName: 'jane', password: 'never-told' };
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
  await Promise.all(providers.map((provider) => provider.close()));
  await Promise.all(servers.map((server) => server.stop()));
  [servers, providers] = [[], []];
  logged.length = 0;
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const { log } = recordingLog(logged);

async function serve(misbehave: (socket: Socket, question: Buffer) => void): Promise<BrokenServer> {
  const server = await BrokenServer.start(misbehave);
  servers.push(server);
  return server;
}

function connection(urls: string[]) {
  const timeouts = { connectTimeoutMs: timeoutMs, operationTimeoutMs: timeoutMs };
  return { urls, startTls: false, caCertificates: certificate.ca, ...timeouts };
}

function ldap(urls: string[], settings: Partial<LdapSettings> = {}): AuthenticationProvider {
  const none = { userDnPattern: undefined, userSearch: undefined, groupSearch: undefined, manager: undefined };
  const provider = ldapProvider('ldap', { ...connection(urls), ...none, ...settings }, log);
  providers.push(provider);
  return provider;
}

const byPattern = { userDnPattern: 'uid={0},ou=people,dc=logbook,dc=example' };
const bySearch = { userSearch: { base: 'dc=logbook,dc=example', filter: '(uid={0})' } };
const managed = { ...bySearch, manager: { dn: 'cn=manager', password: 'never-told' } };

/** A directory in which everybody's password is right and nothing can be read. */
function acceptEverybody(socket: Socket, question: Buffer): void {
  if (question[5] === bindRequest) socket.write(resultMessage(question, bindResponse, 0));
  if (question[5] === searchRequest) socket.write(resultMessage(question, searchDone, 0));
}

describe('a directory that', () => {
  const misbehaviours: [string, (socket: Socket, question: Buffer) => void][] = [
    ['hangs', () => undefined],
    ['hangs up', (socket) => socket.destroy()],
    ['says good-bye politely', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    [
      'breaks off in the middle of an answer',
      (socket, q) => socket.end(resultMessage(q, bindResponse, 0).subarray(0, 9)),
    ],
    ['stops in the middle of an answer', (socket, q) => socket.write(resultMessage(q, bindResponse, 0).subarray(0, 9))],
    ['answers in HTTP', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['answers with zeros', (socket) => socket.write(Buffer.alloc(1_000))],
    ['announces a huge answer', (socket) => socket.write(Buffer.from('30847ffffff0201', 'hex'))],
    ['answers another question', (socket) => socket.write(Buffer.from('300c02017f61070a010004000400', 'hex'))],
    ['answers with something unreadable', (socket) => socket.write(Buffer.from('300c02010261070a0900ffffffff', 'hex'))],
    ['answers endlessly', (socket) => void floodWith(socket)],
  ];

  describe.each(misbehaviours)('%s is unavailable, soon', (_name, misbehave) => {
    test.each<[string, (url: string) => AuthenticationProvider]>([
      ['bound to by pattern', (url) => ldap([url], byPattern)],
      ['searched by nobody', (url) => ldap([url], bySearch)],
      ['searched by the manager', (url) => ldap([url], managed)],
    ])('%s', async (_way, open) => {
      const server = await serve(misbehave);
      const start = performance.now();
      const sentence = await unavailableSentence(open(`ldap://${server.address}`).authenticate(credentials));
      expect(sentence).toBe(plainSentence);
      expect(performance.now() - start).toBeLessThan(soonMs);
      expect(logged).toHaveLength(1);
      expect(logged[0]).not.toContain('never-told');
    });

    test.each(['ldaps', 'StartTLS'])('asked by %s', async (way) => {
      const server = await serve(misbehave);
      const url = `${way === 'ldaps' ? 'ldaps' : 'ldap'}://${server.address}`;
      const start = performance.now();
      await unavailableSentence(ldap([url], { ...byPattern, startTls: true }).authenticate(credentials));
      expect(performance.now() - start).toBeLessThan(soonMs);
      expect(server.heard).not.toContain('never-told');
    });
  });

  test('refuses connections is unavailable', async () => {
    const urls = [`ldap://127.0.0.1:${await freePort()}`];
    expect(await unavailableSentence(ldap(urls, byPattern).authenticate(credentials))).toBe(plainSentence);
    const domain = { ...connection(urls), domain: 'logbook.example', baseDn: 'dc=logbook,dc=example' };
    await unavailableSentence(activeDirectoryProvider(domain, log).authenticate(credentials));
    expect(logged.join()).toContain('ECONNREFUSED');
  });

  test('has a name that nobody knows is unavailable', async () => {
    await unavailableSentence(ldap(['ldap://directory.invalid'], byPattern).authenticate(credentials));
    expect(logged[0]).toContain('unencrypted');
    expect(logged).toHaveLength(2);
  });

  test('hangs after it agreed to StartTLS is unavailable', async () => {
    const server = await serve((socket, question) => {
      if (server.questions === 1) socket.write(resultMessage(question, extendedResponse, 0));
    });
    const start = performance.now();
    const provider = ldap([`ldap://${server.address}`], { ...byPattern, startTls: true });
    await unavailableSentence(provider.authenticate(credentials));
    expect(performance.now() - start).toBeLessThan(soonMs);
  });

  test.each([1, 2, 52, 53])('declines StartTLS with result code %i never hears the password', async (code) => {
    const server = await serve((socket, question) => socket.write(resultMessage(question, extendedResponse, code)));
    const provider = ldap([`ldap://${server.address}`], { ...byPattern, startTls: true });
    await unavailableSentence(provider.authenticate(credentials));
    expect(server.heard).not.toContain('never-told');
  });

  test('is reached through somebody who slips an answer in before the handshake: it does not count', async () => {
    const secureContext = createSecureContext({
      key: await readFile(certificate.keyFile),
      cert: await readFile(certificate.certificateFile),
    });
    const server = await serve((socket, question) => {
      if (server.questions > 1) return;
      // The start of “accepted”, in which the directory's true answer would be no more than a remark.
      const slippedIn = Buffer.from([0x30, 26, 2, 1, 2, bindResponse, 21, 0x0a, 1, 0, 4, 0, 4, 14]);
      socket.removeAllListeners('data');
      socket.write(Buffer.concat([resultMessage(question, extendedResponse, 0), slippedIn]));
      const secured = new TLSSocket(socket, { isServer: true, secureContext });
      secured.on('error', () => undefined);
      secured.on('data', (bind) => secured.write(resultMessage(bind, bindResponse, 49)));
    });
    const provider = ldap([`ldap://${server.address}`], { ...byPattern, startTls: true });
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
  });
});

describe('an answer to the user’s bind with result code', () => {
  const answerWith = (code: number) =>
    serve((socket, question) => socket.write(resultMessage(question, bindResponse, code)));

  test.each([32, 34, 48, 49])('%i: nobody', async (code) => {
    const server = await answerWith(code);
    const provider = ldap([`ldap://${server.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
  });

  test.each([19, 53])('%i: refused, with a reason', async (code) => {
    const server = await answerWith(code);
    const provider = ldap([`ldap://${server.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'refused', reason: expect.any(String) });
  });

  test.each([1, 2, 7, 8, 10, 13, 14, 50, 51, 52, 80])('%i: unavailable', async (code) => {
    const server = await answerWith(code);
    await unavailableSentence(ldap([`ldap://${server.address}`], byPattern).authenticate(credentials));
    expect(logged).toHaveLength(1);
  });
});

describe('of two servers', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['hangs', () => undefined],
    ['hangs up', (socket) => socket.destroy()],
  ])('the second is asked when the first %s, and asked first for a while', async (_name, misbehave) => {
    const [first, second] = [await serve(misbehave), await serve(acceptEverybody)];
    const provider = ldap([`ldap://${first.address}`, `ldap://${second.address}`], byPattern);
    for (let i = 0; i < 3; i++) {
      expect(await provider.authenticate(credentials)).toMatchObject({ kind: 'accepted' });
    }
    expect(first.questions).toBe(1);
    expect(logged[0]).toContain(first.address);
  });

  test('the second is asked when the first refuses connections', async () => {
    const second = await serve(acceptEverybody);
    const provider = ldap([`ldap://127.0.0.1:${await freePort()}`, `ldap://${second.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toMatchObject({ kind: 'accepted' });
  });

  test('the second is not asked when the first does not know the user', async () => {
    const first = await serve((socket, question) => socket.write(resultMessage(question, bindResponse, 49)));
    const second = await serve(acceptEverybody);
    const provider = ldap([`ldap://${first.address}`, `ldap://${second.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
    expect(second.questions).toBe(0);
  });

  test('a first that failed is asked again when the second fails too', async () => {
    let isUp = false;
    const first = await serve((socket, question) => (isUp ? acceptEverybody(socket, question) : socket.destroy()));
    const second = await serve((socket, question) => (isUp ? socket.destroy() : acceptEverybody(socket, question)));
    const provider = ldap([`ldap://${first.address}`, `ldap://${second.address}`], byPattern);
    expect(await provider.authenticate(credentials)).toMatchObject({ kind: 'accepted' });
    isUp = true;
    expect(await provider.authenticate(credentials)).toMatchObject({ kind: 'accepted' });
  });
});

test('a kept connection that breaks with the next question is replaced unnoticed', async () => {
  const asked = new Map<Socket, number>();
  const server = await serve((socket, question) => {
    asked.set(socket, 1 + (asked.get(socket) ?? 0));
    // A bind and a search, and no more.
    if (asked.get(socket) === 3) socket.resetAndDestroy();
    else acceptEverybody(socket, question);
  });
  const provider = ldap([`ldap://${server.address}`], managed);
  for (let i = 0; i < 3; i++) expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
  expect(asked.size).toBe(3);
  expect(logged).toEqual([]);
});

test('while a directory hangs, a crowd waits no longer than the time-outs, on few connections', async () => {
  const server = await serve(() => undefined);
  const provider = ldap([`ldap://${server.address}`], byPattern);
  const start = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => unavailableSentence(provider.authenticate(credentials))));
  expect(performance.now() - start).toBeLessThan(soonMs);
  expect(server.questions).toBeLessThan(100);
});

async function floodWith(socket: Socket): Promise<void> {
  socket.write(Buffer.from('308447ffffff', 'hex'));
  while (!socket.destroyed) {
    socket.write(Buffer.alloc(65_536, 0x30));
    await sleep(1);
  }
}
