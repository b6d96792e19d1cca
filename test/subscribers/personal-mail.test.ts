import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { MailServer, type ReceivedMail, smtpError } from '../fixtures/mail-server.js';
import { reader, startOperatorInbox, writer } from '../fixtures/operator-inbox.js';
import { makeTempDir, type TestService } from '../fixtures/service.js';
import { asAdmin } from '../fixtures/subscribed-logbook.js';

const hour = 3_600_000;
const address = 'operator@logbook.example';
const publicUrl = 'https://log.example.org';

let dir: string;
let logbook: TestService;
let server: MailServer;
/** Codes with which the next mails are refused. */
const codes: number[] = [];

beforeAll(async () => {
  dir = await makeTempDir();
  server = await MailServer.start({
    onMailFrom: (_address, _session, done) => {
      const code = codes.shift();
      done(code === undefined ? null : smtpError(code));
    },
  });
  logbook = await startOperatorInbox(dir, {
    publicUrl,
    ...{ smtpUrl: server.url, smtpFrom: 'Logbook <logbook@example.org>', smtpBatchWindow: '0s' },
  });
});
afterAll(async () => {
  await logbook.stop();
  await server.stop();
  await rm(dir, { recursive: true });
});

const choose = async (mail: boolean, quiet: object | null = null) => {
  const answer = await logbook.put('/me/delivery', { mail, quiet }, reader);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const create = (title: string, query = '', by = writer) => logbook.create({ title }, query, by);
/** Returns all mails once one has this title in its text; earlier ones have arrived by then, too. */
const arrival = async (title: string): Promise<ReadonlyArray<ReceivedMail>> => {
  while (!server.mails.some(({ text }) => text.includes(title))) await server.waitFor(server.mails.length + 1);
  return server.mails;
};
const field = ({ head }: ReceivedMail, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
const titlesOf = ({ text }: ReceivedMail) => Array.from(text.matchAll(/^New: (.*)$/gm), ([, title]) => title);

test('off until chosen; then a mail for each thread, which mail programs show together, with links', async () => {
  expect((await logbook.get('/me/delivery', reader)).body).toEqual({
    ...{
      mail: false,
      quiet: null,
      mailAddress: address,
      chat: false,
      chatRecipient: null,
      isMailOffered: true,
      browsers: [],
      pushKey: null,
    },
  });
  const before = await create('before, @operator');
  await expect.poll(async () => (await logbook.get('/me/inbox', reader)).body.unread).toBe(1);
  expect(await choose(true)).toMatchObject({ mail: true });
  const { id } = await create('question', '', reader);
  await create('own, @operator', '', reader);
  await create('answer', `?inReplyTo=${id}`);
  await arrival('answer');
  await create('other thread, @operator');
  await arrival('other thread');
  await create('second answer', `?inReplyTo=${id}`);
  const mails = await arrival('second answer');
  expect(mails.map(titlesOf)).toEqual([['answer'], ['other thread, @operator'], ['second answer']]);
  expect(mails.map(({ to }) => to)).toEqual([[address], [address], [address]]);
  const [first, other, second] = mails.map((mail) => field(mail, 'References'));
  expect(first).toMatch(new RegExp(`^<thread-${id}\\..+@example\\.org>$`));
  expect([second, mails[2] && field(mails[2], 'In-Reply-To')]).toEqual([first, first]);
  expect(other).not.toBe(first);
  expect(new Set(mails.map((mail) => field(mail, 'Message-ID'))).size).toBe(3);
  expect(mails[0]?.text).toContain(`${publicUrl}/entries/${id + 2}`);
  expect(before.id).toBeLessThan(id);
});

test('what the user may no longer read when the mail is sent is left out', async () => {
  const sent = server.mails.length;
  // The first attempt fails, and the entry is moved before the second one.
  codes.push(451);
  const { id } = await create('to be hidden, @operator');
  await expect.poll(() => codes).toEqual([]);
  const moved = await logbook.post(`/logs/${id}`, { title: 'hidden', logbooks: [{ name: 'Secret' }] }, writer);
  expect(moved.status, moved.text).toBe(200);
  await create('still open, @operator');
  const mails = await arrival('still open');
  expect(mails.slice(sent).map(titlesOf)).toEqual([['still open, @operator']]);
});

test('quiet hours: nothing is sent in them; what came is in one mail afterwards', async () => {
  const sent = server.mails.length;
  const noon = Date.UTC(2030, 0, 10, 12);
  vi.useFakeTimers({ toFake: ['Date'], now: noon });
  try {
    const quiet = { from: '11:00', to: '13:00', zone: 'UTC' };
    expect(await choose(true, quiet)).toMatchObject({ mail: true, quiet });
    for (const title of ['one, @operator', 'two, @operator']) await create(title);
    const { body } = await logbook.get('/subscribers', asAdmin);
    expect(body).toMatchObject([{ kind: 'user', target: 'operator (embeddedLdap)' }]);
    await expect
      .poll(async () => (await logbook.get('/me/inbox', reader)).body.items[0].entry.title)
      .toBe('two, @operator');
    await choose(true, quiet);
    expect(server.mails).toHaveLength(sent);
    vi.setSystemTime(noon + 2 * hour);
    await choose(true, quiet);
    const mails = await arrival('two, @operator');
    expect(mails.slice(sent).map(titlesOf)).toEqual([['one, @operator', 'two, @operator']]);
    expect(field(mails.at(-1) as ReceivedMail, 'References')).toBeUndefined();
  } finally {
    vi.useRealTimers();
    // The tests that follow may run at that hour of the day.
    await choose(true);
  }
});

test('a refused mail is a dead letter that the administrator can deliver again', async () => {
  const sent = server.mails.length;
  codes.push(550);
  await create('refused, @operator');
  const [{ name }] = (await logbook.get('/subscribers', asAdmin)).body;
  const path = `/subscribers/${encodeURIComponent(name)}/dead-letters`;
  const letters = async () => (await logbook.get(path, asAdmin)).body;
  await expect.poll(letters).toHaveLength(1);
  const [{ id }] = await letters();
  await logbook.post(`${path}/${id}`, undefined, asAdmin);
  expect((await arrival('refused')).slice(sent).map(titlesOf)).toEqual([['refused, @operator']]);
});

test('the link in a mail stops mails without sign-in: by a click of the mail program, not by following it', async () => {
  const [mail] = await arrival('answer');
  const link = /^<(.*)>$/.exec((mail && field(mail, 'List-Unsubscribe')) ?? '')?.[1] ?? '';
  expect(mail?.text).toContain(link);
  expect(mail && field(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  expect(link.startsWith(`${publicUrl}/logbook/unsubscribe/`)).toBe(true);
  const path = link.slice(`${publicUrl}/logbook`.length);
  const asked = await logbook.get(path, { as: null });
  expect([asked.status, asked.text.includes('<form method="post">')]).toEqual([200, true]);
  const choice = async () => (await logbook.get('/me/delivery', reader)).body.mail;
  expect(await choice()).toBe(true);
  const click = {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  };
  const changed = path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  for (const wrong of [changed, '/unsubscribe/x']) {
    expect((await logbook.call(wrong, { method: 'POST', as: null, ...click })).body).toMatchObject({
      ...{ status: 404, code: 'delivery.unknown-link' },
    });
  }
  expect((await logbook.call(path, { method: 'POST', as: null, ...click })).status).toBe(200);
  expect(await choice()).toBe(false);
  // Nothing is left to administer for a user who wants no mails.
  expect((await logbook.get('/subscribers', asAdmin)).body).toEqual([]);
  await create('while off, @operator');
  await expect
    .poll(async () => (await logbook.get('/me/inbox', reader)).body.items[0].entry.title)
    .toBe('while off, @operator');
  await choose(true);
  await create('on again, @operator');
  expect((await arrival('on again')).filter(({ text }) => text.includes('while off'))).toEqual([]);
  await choose(false);
});

test('refused: nothing is stored', async () => {
  const put = async (json: object, by = reader) => (await logbook.put('/me/delivery', json, by)).body.code;
  expect(await put({ mail: true, quiet: { from: '22:00', to: '6:00', zone: 'UTC' } })).toBe('request.invalid');
  expect(await put({ mail: true, quiet: { from: '22:00', to: '06:00', zone: 'Mars' } })).toBe('delivery.bad-zone');
  expect((await logbook.get('/me/delivery', reader)).body).toMatchObject({ mail: false });
});
