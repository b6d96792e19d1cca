import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';

/** Counts how often the threads of a process have been given a processor so far. */
function countSwitches(pid: number): number {
  const counts = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    const [own = 0, forced = 0] = [...status.matchAll(/ctxt_switches:\s+(\d+)/g)].map(([, count]) => Number(count));
    return own + forced;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

test.skipIf(process.platform !== 'linux')('an idle service wakes less than ten times per second', async () => {
  const dataDir = await makeTempDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const logbook = await LogbookProcess.start(dataDir);
  onTestFinished(async () => void (await logbook.stop()));
  const pid = logbook.child.pid ?? 0;
  await call(`${logbook.origin}/metrics`);
  const switchesPerSecond = async () => {
    const before = countSwitches(pid);
    await sleep(2_000);
    return (countSwitches(pid) - before) / 2;
  };
  // The work that follows a start ends within a minute.
  await expect.poll(switchesPerSecond, { timeout: 120_000 }).toBeLessThan(10);
});
