import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';

const rounds = 4;
const perRound = 35;
const admin = 'admin:adminPass';

interface Item {
  readonly entry: { readonly title: string };
}

test('kill -9 while changes are evaluated: each is in the inbox once, in order', async () => {
  const dataDir = await makeTempDir();
  let logbook = await LogbookProcess.start(dataDir);
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
      logbook = await LogbookProcess.start(dataDir);
    }
    await expect.poll(async () => (await readTitles()).length, { timeout: 120_000 }).toBe(rounds * perRound);
    expect(await readTitles()).toEqual(written);
    expect(await logbook.stop()).toBe(0);
  } finally {
    await logbook.stop('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  }
});
