import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MailServer } from '../fixtures/mail-server.js';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';

const rounds = 4;
const perRound = 35;
const admin = 'admin:adminPass';

interface Item {
  readonly entry: { readonly title: string };
}

test('kill -9 while changes are evaluated and mailed: each is in the inbox once and mailed at least once, in order', async () => {
  const dataDir = await makeTempDir();
  const configDir = await makeTempDir();
  const source = join(configDir, 'embedded.properties');
  await writeFile(source, 'embedded_ldap.port = 0\n');
  const server = await MailServer.start();
  const args = Object.entries({
    ...{ authenticationProviders: 'embeddedLdap,inMemory', embeddedLdapPropertySource: source },
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
    const json = { kind: 'search', query: 'title=alert' };
    expect((await call(`${logbook.base}/me/watches`, { method: 'POST', json, as: admin })).status).toBe(200);
    const choice = { mail: true, quiet: null };
    expect((await call(`${logbook.base}/me/delivery`, { method: 'PUT', json: choice, as: admin })).status).toBe(200);
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
      logbook = await LogbookProcess.start(dataDir, { args });
    }
    await expect.poll(async () => (await readTitles()).length, { timeout: 120_000 }).toBe(rounds * perRound);
    expect(await readTitles()).toEqual(written);
    const mailed = () => [...new Set(server.mails.map(({ text }) => /^New: (.*)$/m.exec(text)?.[1]))];
    await expect.poll(() => mailed().length, { timeout: 120_000 }).toBe(written.length);
    expect(mailed()).toEqual(written);
    const ids = new Set(server.mails.map(({ head }) => /^Message-ID: (.*)$/im.exec(head)?.[1]));
    expect(ids.size).toBe(written.length);
    expect(await logbook.stop()).toBe(0);
  } finally {
    await logbook.stop('SIGKILL');
    await server.stop();
    for (const dir of [dataDir, configDir]) await rm(dir, { recursive: true, force: true });
  }
});
