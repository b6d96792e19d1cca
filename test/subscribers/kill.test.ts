import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { Receiver } from '../fixtures/receiver.js';
import { call, makeTempDir } from '../fixtures/service.js';
import { subscriberProperties, webhookTo } from '../fixtures/subscribed-logbook.js';

const rounds = 4;

async function write(logbook: LogbookProcess, title: string): Promise<string> {
  const json = { title, logbooks: [{ name: 'operations' }] };
  const response = await call(`${logbook.base}/logs`, { method: 'PUT', json });
  expect(response.status).toBe(200);
  return title;
}

test('kill -9 during deliveries: each entry arrives, in order, and repeated deliveries have the same id', async () => {
  const target = await Receiver.start();
  const dataDir = await makeTempDir();
  // A request that timed out would be repeated.
  const hook = webhookTo(target.origin, { timeoutSeconds: '60' });
  const args = Object.entries(subscriberProperties({ hook })).map(([name, value]) => `-D${name}=${value}`);
  let logbook = await LogbookProcess.start(dataDir, { args });
  try {
    const written: string[] = [];
    for (let round = 0; round < rounds; round++) {
      // One request gets no response: the process is killed before it knows the outcome of that delivery.
      const held = target.received.length + round;
      target.answer = (_, index) => (index === held ? 'hang' : 200);
      for (let index = 0; target.received.length <= held; index++)
        written.push(await write(logbook, `${round} ${index}`));
      written.push(await write(logbook, `${round} last`));
      await logbook.stop('SIGKILL');
      target.answer = () => 200;
      logbook = await LogbookProcess.start(dataDir, { args });
      const last = written.at(-1);
      await target.until(() => target.titles.includes(last ?? ''));
      expect(target.received[held + 1]?.text).toBe(target.received[held]?.text);
    }
    const byId = new Map(target.received.map(({ json }) => [json.deliveryId, json.changes]));
    const delivered = [...byId.values()].flat().map(({ entry }) => entry.title);
    expect(delivered).toEqual(written);
    expect(target.received.length).toBe(byId.size + rounds);
    expect(await logbook.stop()).toBe(0);
  } finally {
    await logbook.stop('SIGKILL');
    await target.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
