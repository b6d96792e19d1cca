import { readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { makeCertificate } from '../directories/certificates.js';
import { listening } from '../fixtures/local-server.js';
import { MailServer, smtpError } from '../fixtures/mail-server.js';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir, type TestService } from '../fixtures/service.js';
import {
  asAdmin,
  inOneMoment,
  mailTo,
  startWithSubscribers,
  stateWhen,
  subscriberProperties,
} from '../fixtures/subscribed-logbook.js';

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
    { settings: { publicUrl: 'https://log.example.org', timeZone: 'Asia/Kathmandu' } },
  );
  const ids: number[] = [];
  await inOneMoment(async () => {
    for (const title of ['Pump lost', 'Ventil geöffnet – 温度']) {
      ids.push((await logbook.create({ title, description: 'Wärme & <Kälte>', level: 'Problem' })).id);
    }
  });
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
    ...ids.map((id) => `https://log.example.org/entries/${id}`),
  ]) {
    expect(mail?.text).toContain(expected);
  }
  // The time of the site, which has no summer time.
  expect(mail?.text).toMatch(/^user, \d{4}-\d\d-\d\d \d\d:\d\d GMT\+5:45, Problem$/m);
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

test('a permanently rejected mail becomes a dead letter immediately, and the next one is sent', async () => {
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

const rejecting = (codes: Readonly<Record<string, number[]>>) => {
  const calls: string[] = [];
  const onRcptTo = ({ address }: { address: string }, _session: unknown, done: (error?: Error | null) => void) => {
    calls.push(address);
    const code = codes[address.split('@', 1)[0] ?? '']?.shift();
    done(code === undefined ? null : smtpError(code));
  };
  return { calls, onRcptTo };
};
const deadLetters = async (logbook: TestService) => (await logbook.get('/subscribers/mail/dead-letters', asAdmin)).body;

test('a permanently rejected recipient gets a dead letter of its own; the others get the mail, once', async () => {
  const { calls, onRcptTo } = rejecting({ gone: [550] });
  const server = await mailServer({ onRcptTo });
  const logbook = await start({ mail: mailTo(server.url, { to: 'gone@example.org, shift@example.org' }) });
  await logbook.create({ title: 'first' });
  const [mail] = await server.waitFor(1);
  expect(mail?.to).toEqual(['shift@example.org']);
  await stateWhen(logbook, 'mail', ({ lag, deadLetters }) => lag === 0 && deadLetters === 1);
  const [letter] = await deadLetters(logbook);
  expect(letter).toMatchObject({
    recipient: 'gone@example.org',
    attempts: 1,
    reason: 'The mail server responded with 550 to the recipient “gone@example.org”.',
  });
  expect(calls).toHaveLength(2);
  await logbook.post(`/subscribers/mail/dead-letters/${letter.id}`, undefined, asAdmin);
  const [, retried] = await server.waitFor(2);
  expect(retried?.to).toEqual(['gone@example.org']);
  expect(retried?.head).toContain(/^Message-ID: .*$/m.exec(mail?.head ?? '')?.[0]);
  await stateWhen(logbook, 'mail', ({ deadLetters }) => deadLetters === 0);
});

test('a temporarily rejected recipient is tried again separately, and delays no other', async () => {
  const { onRcptTo } = rejecting({ grey: [450, 450, 450] });
  const server = await mailServer({ onRcptTo });
  const logbook = await start({ mail: mailTo(server.url, { to: 'grey@example.org, shift@example.org' }) });
  await logbook.create({ title: 'first' });
  const [first, second] = await server.waitFor(2);
  expect([first?.to, second?.to]).toEqual([['shift@example.org'], ['grey@example.org']]);
  expect(second?.head).toContain(/^Message-ID: .*$/m.exec(first?.head ?? '')?.[0]);
  expect(await stateWhen(logbook, 'mail', ({ deferred }) => deferred === 0)).toMatchObject({ lag: 0, deadLetters: 0 });
  await logbook.create({ title: 'second' });
  expect((await server.waitFor(3))[2]?.to).toEqual(['grey@example.org', 'shift@example.org']);
});

test('later mails do not wait for a recipient that is deferred; in the end it gets them all, each once', async () => {
  let isGrey = true;
  const server = await mailServer({
    onRcptTo: ({ address }, _session, done) => done(isGrey && address.startsWith('grey') ? smtpError(451) : null),
  });
  const logbook = await start({ mail: mailTo(server.url, { to: 'grey@example.org, shift@example.org' }) });
  for (const title of ['first', 'second', 'third']) {
    await logbook.create({ title });
    await stateWhen(logbook, 'mail', ({ lag }) => lag === 0);
  }
  expect((await stateWhen(logbook, 'mail', ({ deferred }) => deferred === 3)).lastError).toContain('451');
  isGrey = false;
  const mails = await server.waitFor(6);
  await stateWhen(logbook, 'mail', ({ deferred }) => deferred === 0);
  const subjectsTo = (name: string) =>
    mails
      .filter(({ to }) => to.includes(`${name}@example.org`))
      .map(({ head }) => /^Subject: .* (\w+)$/m.exec(head)?.[1])
      .sort();
  expect(subjectsTo('shift')).toEqual(['first', 'second', 'third']);
  expect(subjectsTo('grey')).toEqual(['first', 'second', 'third']);
});

test('a recipient that stays deferred for too long gets a dead letter of its own', async () => {
  const server = await mailServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('grey') ? smtpError(452) : null),
  });
  const to = 'grey@example.org, shift@example.org';
  const logbook = await start({ mail: mailTo(server.url, { to, maxDeliveryAgeSeconds: '1' }) });
  await logbook.create({ title: 'first' });
  await stateWhen(logbook, 'mail', ({ deferred, deadLetters }) => deferred === 0 && deadLetters === 1);
  expect((await deadLetters(logbook))[0]).toMatchObject({ recipient: 'grey@example.org' });
  expect(server.mails).toHaveLength(1);
});

test('when all recipients are rejected, those that may accept it later are tried again', async () => {
  const { onRcptTo } = rejecting({ gone: [550], grey: [450] });
  const server = await mailServer({ onRcptTo });
  const logbook = await start({ mail: mailTo(server.url, { to: 'grey@example.org, gone@example.org' }) });
  await logbook.create({ title: 'first' });
  expect((await server.waitFor(1))[0]?.to).toEqual(['grey@example.org']);
  const state = await stateWhen(logbook, 'mail', ({ deferred, deadLetters }) => deferred === 0 && deadLetters === 1);
  expect(state.lag).toBe(0);
  expect((await deadLetters(logbook))[0]).toMatchObject({ recipient: 'gone@example.org' });
});

test('kill -9 between recipients: each gets each mail, and none that had accepted it gets it again', async () => {
  let isGrey = true;
  const server = await mailServer({
    onRcptTo: ({ address }, _session, done) => done(isGrey && address.startsWith('grey') ? smtpError(450) : null),
  });
  const dataDir = await makeTempDir();
  const mail = mailTo(server.url, { to: 'grey@example.org, jörg@gräber.example' });
  const args = Object.entries(subscriberProperties({ mail })).map(([name, value]) => `-D${name}=${value}`);
  let logbook = await LogbookProcess.start(dataDir, { args });
  running.push({ stop: () => logbook.stop('SIGKILL').then(() => rm(dataDir, { recursive: true, force: true })) });
  const create = async (title: string) => {
    const json = { title, logbooks: [{ name: 'operations' }] };
    expect((await call(`${logbook.base}/logs`, { method: 'PUT', json })).status).toBe(200);
  };
  const deferred = async () => (await call(`${logbook.base}/subscribers`, asAdmin)).body[0].deferred;
  for (const [at, title] of ['first', 'second'].entries()) {
    await create(title);
    // Stored, and not only sent: before that, a repetition to all is right.
    while ((await deferred()) !== at + 1) await new Promise(setImmediate);
    await logbook.stop('SIGKILL');
    logbook = await LogbookProcess.start(dataDir, { args });
  }
  isGrey = false;
  const mails = await server.waitFor(4);
  while ((await deferred()) !== 0) await new Promise(setImmediate);
  const sent = mails.map(({ to, head }) => `${/Subject: .* (\w+)$/m.exec(head)?.[1]} ${to.join()}`);
  expect(sent.filter((one) => one.includes('grey')).sort()).toEqual([
    'first grey@example.org',
    'second grey@example.org',
  ]);
  expect(sent.filter((one) => !one.includes('grey'))).toHaveLength(2);
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
  await listening(silent);
  const { port } = silent.address() as AddressInfo;
  const logbook = await start({ mail: mailTo(`smtp://127.0.0.1:${port}`, { timeoutSeconds: '0.2' }) });
  await logbook.create({ title: 'first' });
  const state = await stateWhen(logbook, 'mail', ({ pending }) => pending?.attempts > 1);
  expect(state.lastError).toMatch(/could not be reached/);
  silent.close();
});
