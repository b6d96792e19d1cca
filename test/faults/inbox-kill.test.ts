import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MailServer } from '../fixtures/mail-server.js';
import { LogbookProcess } from '../fixtures/process.js';
import { PushServer } from '../fixtures/push-server.js';
import { Receiver } from '../fixtures/receiver.js';
import { call, makeTempDir } from '../fixtures/service.js';

const rounds = 4;
const perRound = 35;
const admin = 'admin:adminPass';
const other = 'operator:operatorPass';
const readers = 'operations.read = user:admin, user:user';

interface Item {
  readonly entry: { readonly title: string };
}

test('kill -9 while changes are evaluated and sent: each is in the inbox once, and mailed, pushed and in the chat in order', async () => {
  const dataDir = await makeTempDir();
  const configDir = await makeTempDir();
  const source = join(configDir, 'embedded.properties');
  await writeFile(source, 'embedded_ldap.port = 0\n');
  const access = join(configDir, 'access.properties');
  await writeFile(access, `${readers}, user:operator\n`);
  const server = await MailServer.start();
  const push = await PushServer.start(configDir);
  const chat = await Receiver.start();
  // The other user loses access while messages to the user are repeated.
  let isRefusing = true;
  const inChat: { channel: string; text: string }[] = [];
  chat.answer = ({ json }) => {
    if (isRefusing && json.channel === '@operator') return 503;
    inChat.push(json);
    return 200;
  };
  const args = Object.entries({
    ...{ authenticationProviders: 'embeddedLdap,inMemory', embeddedLdapPropertySource: source },
    ...{ chatUrl: `${chat.origin}/hooks/x`, chatAllowAddresses: '127.0.0.1' },
    ...{ ...push.settings, logbookAccessFile: access, adminGroups: 'logbook-admins' },
    ...{
      publicUrl: 'https://log.example.org',
      smtpUrl: server.url,
      smtpFrom: 'log@example.org',
      smtpBatchWindow: '0s',
    },
  }).map(([name, value]) => `-D${name}=${value}`);
  let logbook = await LogbookProcess.start(dataDir, { args });
  const readTitles = async () => {
    const titles: string[] = [];
    for (let query = '?size=100'; query !== ''; ) {
      const { body } = await call(`${logbook.base}/me/inbox${query}`, { as: admin });
      titles.push(...body.items.map(({ entry }: Item) => entry.title));
      query = body.next === null ? '' : `?size=100&before=${body.next}`;
    }
    return titles.reverse();
  };
  try {
    const [browser, otherBrowser] = [push.subscribe(), push.subscribe()];
    for (const { as, json } of [
      { as: admin, json: browser.subscription },
      { as: other, json: otherBrowser.subscription },
    ]) {
      const send = async (method: string, path: string, body: object) =>
        expect((await call(`${logbook.base}${path}`, { method, json: body, as })).status).toBe(200);
      await send('POST', '/me/watches', { kind: 'search', query: 'title=alert' });
      await send('PUT', '/me/delivery', { mail: true, chat: true, quiet: null });
      await send('PUT', '/me/browsers', json);
    }
    // The other user loses access while messages to the browser are repeated.
    otherBrowser.statuses.push(...Array.from({ length: 10_000 }, () => 503));
    let readable = 0;
    const written: string[] = [];
    for (let round = 0; round < rounds; round++) {
      for (let number = 0; number < perRound; number++) {
        const entry = { title: `alert ${round} ${number}`, logbooks: [{ name: 'operations' }] };
        const { status } = await call(`${logbook.base}/logs`, { method: 'PUT', json: entry });
        expect(status).toBe(200);
        written.push(entry.title);
      }
      // At different moments of the evaluation.
      for (let wait = 0; wait < round && (await readTitles()).length < written.length - perRound / 2; wait++);
      await logbook.stop('SIGKILL');
      if (round === 1) {
        await writeFile(access, `${readers}\n`);
        readable = written.length;
        otherBrowser.statuses.length = 0;
        isRefusing = false;
      }
      logbook = await LogbookProcess.start(dataDir, { args });
    }
    await expect.poll(async () => (await readTitles()).length, { timeout: 120_000 }).toBe(rounds * perRound);
    expect(await readTitles()).toEqual(written);
    const mails = (to: string) => server.mails.filter((mail) => mail.to.some((address) => address.startsWith(to)));
    const mailed = (to: string) => [...new Set(mails(to).map(({ text }) => /^New: (.*)$/m.exec(text)?.[1]))];
    const pushed = () => [...new Set(browser.received.flatMap(({ titles }) => titles))];
    await expect.poll(() => mailed('admin@').length, { timeout: 120_000 }).toBe(written.length);
    await expect.poll(() => pushed().length, { timeout: 120_000 }).toBe(written.length);
    const chatted = () => [
      ...new Set(
        inChat
          .filter(({ channel }) => channel === '@admin')
          .flatMap(({ text }) => Array.from(text.matchAll(/: (.*?) \(/g), ([, title]) => title)),
      ),
    ];
    await expect.poll(() => chatted().length, { timeout: 120_000 }).toBe(written.length);
    expect(chatted()).toEqual(written);
    expect(mailed('admin@')).toEqual(written);
    expect(pushed()).toEqual(written);
    // A mail program and a browser recognise by the id what arrives twice.
    const ids = new Set(mails('admin@').map(({ head }) => /^Message-ID: (.*)$/im.exec(head)?.[1]));
    expect(ids.size).toBe(written.length);
    expect(new Set(browser.received.map(({ topic }) => topic)).size).toBe(written.length);
    const pending = async () =>
      (await call(`${logbook.base}/subscribers`, { as: admin })).body.filter(
        (one: { pending: unknown }) => one.pending,
      );
    await expect.poll(pending, { timeout: 120_000 }).toEqual([]);
    expect(otherBrowser.received).toEqual([]);
    expect(inChat.filter(({ channel }) => channel !== '@admin')).toEqual([]);
    expect(written.slice(0, readable)).toEqual(expect.arrayContaining(mailed('operator@')));
    expect(await logbook.stop()).toBe(0);
  } finally {
    await logbook.stop('SIGKILL');
    await server.stop();
    await push.stop();
    await chat.stop();
    for (const dir of [dataDir, configDir]) await rm(dir, { recursive: true, force: true });
  }
});
