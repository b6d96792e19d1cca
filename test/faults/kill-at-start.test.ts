import { once } from 'node:events';
import { watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';
import { checkDataDir } from './check-data-dir.js';
import { checkStore, versionOf } from './check-store.js';
import { Ledger } from './ledger.js';
import { Random } from './random.js';
import { planCreation, send } from './submissions.js';

const rounds = 6;

test('after kill -9 during the first start, the next start completes the store', async () => {
  const seed = process.env.LOGBOOK_TEST_SEED ?? String(Date.now());
  const random = new Random(seed);
  for (let round = 1; round <= rounds; round += 1) {
    const dataDir = await makeTempDir();
    const kills = [random.magnitude(1, 300), random.magnitude(1, 60)];
    const place = `seed ${seed}, round ${round}: killed after ${kills} changes of files in ${dataDir}`;
    for (const changes of kills) await startAndKill(dataDir, changes);
    const logbook = await LogbookProcess.start(dataDir);
    try {
      const configuration = await call(`${logbook.base}/configuration`);
      expect(configuration.body, place).toMatchObject({
        levels: expect.arrayContaining(['Urgent', 'Suggestion', 'Info', 'Request', 'Problem']),
        logbooks: [{ name: 'controls' }, { name: 'operations' }],
        tags: [{ name: 'alarm' }],
      });
      const ledger = new Ledger();
      const plan = planCreation(random, { fileSizes: [1_000] });
      ledger.record(plan.submission);
      const answer = await send(logbook.base, plan);
      expect(answer.status, place).toBe(200);
      ledger.acknowledge(plan.submission, answer.body, versionOf(answer));
      await checkStore(logbook.base, ledger);
      expect(await logbook.stop()).toBe(0);
      await checkDataDir(dataDir);
      await rm(dataDir, { recursive: true });
    } finally {
      await logbook.stop('SIGKILL');
    }
  }
});

/** Starts the program and kills it after that many changes in its data directory, or when it is ready. */
async function startAndKill(dataDir: string, changes: number): Promise<void> {
  // Its folders are not watched: their watcher fails when a file vanishes.
  const watcher = watch(dataDir);
  const logbook = LogbookProcess.spawn(dataDir);
  const changed = async () => {
    for (let seen = 0; seen < changes; seen += 1) await once(watcher, 'change');
  };
  const ready = logbook.ready();
  try {
    await Promise.race([changed(), ready]);
  } finally {
    await logbook.stop('SIGKILL');
    watcher.close();
    await ready.catch(() => undefined);
  }
}
