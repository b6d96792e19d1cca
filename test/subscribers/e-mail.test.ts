import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { makeCertificate } from '../directories/certificates.js';
import { MailServer, smtpError } from '../fixtures/mail-server.js';
import { makeTempDir, type TestService } from '../fixtures/service.js';
import { mailTo, startWithSubscribers, stateWhen } from '../fixtures/subscribed-logbook.js';

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});
const mailServer = async (...args: Parameters<typeof MailServer.start>): Promise<MailServer> => {
  const server = await MailServer.start(...args);
  running.push(server);
  return server;
};
const start = async (...args: Parameters<typeof startWithSubscribers>): Promise<TestService> => {
  const logbook = await startWithSubscribers(...args);
  running.push(logbook);
  return logbook;
};

test('a burst is one plain-text mail with a link to each entry', async () => {
  const server = await mailServer();
  const logbook = await start(
    { mail: mailTo(server.url, { batchWindowSeconds: '1', to: 'shift@example.org, jörg@example.org' }) },
    { settings: { publicUrl: 'https://log.example.org' } },
  );
  const ids: number[] = [];
  for (const title of ['Pump lost', 'Ventil geöffnet – 温度']) {
    ids.push((await logbook.create({ title, description: 'Wärme & <Kälte>', level: 'Problem' })).id);
  }
  const [mail, more] = await server.waitFor(1);
  expect(more).toBeUndefined();
  expect(mail?.from).toBe('logbook@example.org');
  expect(mail?.to).toEqual(['shift@example.org', 'jörg@example.org']);
  expect(mail?.head).toMatch(/^Subject: \[Logbook\] 2 entries: Pump lost$/m);
  expect(mail?.head).toMatch(/^Message-ID: <[0-9a-f]{32}@example\.org>$/m);
  expect(mail?.head).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(mail?.head).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
  for (const expected of [
    'New: Pump lost',
    'New: Ventil geöffnet – 温度',
    'Wärme & <Kälte>',
    ...ids.map((id) => `https://log.example.org/logbook/logs/${id}`),
  ]) {
    expect(mail?.text).toContain(expected);
  }
});

test('the text of an entry cannot add a header or a second mail', async () => {
  const server = await mailServer();
  const logbook = await start({ mail: mailTo(server.url) });
  await logbook.create({
    title: 'x\r\nBcc: thief@example.org\r\n\r\nbody \u2028Bcc: other@example.org',
    level: 'Info',
    description: 'one\r\n.\r\nMAIL FROM:thief@example.org\r\nRCPT TO:thief@example.org',
  });
  const [mail] = await server.waitFor(1);
  await stateWhen(logbook, 'mail', ({ lag }) => lag === 0);
  expect(server.mails).toHaveLength(1);
  expect(mail?.to).toEqual(['shift@example.org']);
  expect(mail?.head).not.toMatch(/^(Bcc|MAIL|RCPT)/im);
  expect(mail?.text).toMatch(/^MAIL FROM:thief@example\.org$/m);
});

test('a temporarily rejected mail is retried under the same Message-ID', async () => {
  const codes = [451, 421, 250];
  const server = await mailServer({
    onMailFrom: (_address, _session, done) => {
      const code = codes.shift() ?? 250;
      done(code === 250 ? null : smtpError(code));
    },
  });
  const logbook = await start({ mail: mailTo(server.url) });
  await logbook.create({ title: 'first' });
  const [mail] = await server.waitFor(1);
  expect(mail?.head).toMatch(/^Subject: \[Logbook\] Info: first$/m);
  const state = await stateWhen(logbook, 'mail', ({ lag }) => lag === 0);
  expect(state).toMatchObject({ lastError: expect.stringMatching(/responded with 4\d\d/), deadLetters: 0 });
});

test('a permanently rejected mail becomes a dead letter at once, and the next one is sent', async () => {
  const server = await mailServer({
    onRcptTo: (_address, _session, done) => done(server.mails.length + refused++ === 0 ? smtpError(550) : null),
  });
  let refused = 0;
  const logbook = await start({ mail: mailTo(server.url) });
  await logbook.create({ title: 'first' });
  await stateWhen(logbook, 'mail', ({ deadLetters }) => deadLetters === 1);
  await logbook.create({ title: 'second' });
  const [mail] = await server.waitFor(1);
  expect(mail?.head).toMatch(/Info: second/);
});

test('a rejected recipient does not prevent the mail to the others', async () => {
  const server = await mailServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('gone') ? smtpError(550) : null),
  });
  const logbook = await start({ mail: mailTo(server.url, { to: 'gone@example.org, shift@example.org' }) });
  await logbook.create({ title: 'first' });
  const [mail] = await server.waitFor(1);
  expect(mail?.to).toEqual(['shift@example.org']);
  await stateWhen(logbook, 'mail', ({ lag, deadLetters }) => lag === 0 && deadLetters === 0);
});

test('credentials are sent, and an attempt with wrong ones is retried', async () => {
  let password = 'not yet';
  const server = await mailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) => {
      const isRight = auth.username === 'log@book' && auth.password === password;
      done(isRight ? null : smtpError(535), isRight ? { user: 'log' } : undefined);
    },
  });
  const logbook = await start({ mail: mailTo(server.url.replace('://', '://log%40book:pa%3Ass@')) });
  await logbook.create({ title: 'first' });
  const state = await stateWhen(logbook, 'mail', ({ pending }) => pending?.attempts > 0);
  expect(state.lastError).toBe('The mail server responded with 535 to the credentials.');
  password = 'pa:ss';
  await server.waitFor(1);
});

test('STARTTLS is used where it is offered, and only with a trusted certificate', async () => {
  const server = await mailServer({ disabledCommands: [] });
  const logbook = await start({ mail: mailTo(server.url) });
  await logbook.create({ title: 'first' });
  const state = await stateWhen(logbook, 'mail', ({ pending }) => pending?.attempts > 0);
  expect(state.lastError).toMatch(/could not be reached: “.*certificate/);
  expect(server.mails).toEqual([]);
});

test('STARTTLS with a certificate of the authority in caFile delivers, from a sender with a name', async () => {
  const dir = await makeTempDir();
  const certificate = await makeCertificate(dir, 'localhost', '127.0.0.1');
  running.push({ stop: () => rm(dir, { recursive: true }) });
  const key = await readFile(certificate.keyFile);
  const server = await mailServer({ disabledCommands: [], key, cert: await readFile(certificate.certificateFile) });
  const keys = { caFile: certificate.caFile, smtpFrom: 'The Logbook, live <logbook@example.org>' };
  const logbook = await start({ mail: mailTo(server.url, keys) });
  await logbook.create({ title: 'first' });
  const [mail] = await server.waitFor(1);
  expect(mail?.from).toBe('logbook@example.org');
  expect(mail?.head).toMatch(/^From: "The Logbook, live" <logbook@example\.org>$/m);
});

test('an attempt at a silent server ends after the timeout and is retried', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const logbook = await start({ mail: mailTo(`smtp://127.0.0.1:${port}`, { timeoutSeconds: '0.2' }) });
  await logbook.create({ title: 'first' });
  const state = await stateWhen(logbook, 'mail', ({ pending }) => pending?.attempts > 1);
  expect(state.lastError).toMatch(/could not be reached/);
  silent.close();
});
