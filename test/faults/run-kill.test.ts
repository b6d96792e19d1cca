import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';

const [rounds, perRound] = [3, 60];
/** Long enough that the document has pages of its own. */
const textOf = (sequence: number) => `Block ${sequence}: ${'x'.repeat(300)}.`;

test('kill -9 while blocks are appended: each acknowledged one is there, in order, once', async () => {
  const dataDir = await makeTempDir();
  let logbook = await LogbookProcess.start(dataDir);
  try {
    const entry = { title: 'Scan', logbooks: [{ name: 'operations' }] };
    const { id } = (await call(`${logbook.base}/logs?run=true`, { method: 'PUT', json: entry })).body;
    const append = (sequence: number) =>
      call(`${logbook.base}/logs/${id}/blocks/${sequence}`, { method: 'PUT', json: { text: textOf(sequence) } });
    let acknowledged = 0;
    for (let round = 1; round <= rounds; round++) {
      while (acknowledged < round * perRound) {
        expect((await append(acknowledged + 1)).status).toBe(200);
        acknowledged += 1;
      }
      // The next one is under way when the process ends, and is sent again after the start.
      const [sent] = await Promise.allSettled([append(acknowledged + 1), logbook.stop('SIGKILL')]);
      if (sent.status === 'fulfilled' && sent.value.status === 200) acknowledged += 1;
      logbook = await LogbookProcess.start(dataDir);
    }
    const { body } = await call(`${logbook.base}/logs/${id}`);
    const texts = Array.from({ length: body.run.blocks }, (_, at) => textOf(at + 1));
    expect(body.source).toBe(texts.join('\n\n'));
    expect(body.run.blocks).toBeGreaterThanOrEqual(acknowledged);
    expect((await call(`${logbook.base}/logs/archived/${id}`)).body.hitCount).toBe(0);
    expect(await logbook.stop()).toBe(0);
  } finally {
    await logbook.stop('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  }
});
