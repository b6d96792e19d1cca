import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
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

test('the parser of texts and the library of the metrics are loaded without a request: an upgrade may replace their files', async () => {
  const dir = await makeTempDir();
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const [log, hooks, preload] = [join(dir, 'loaded'), join(dir, 'hooks.mjs'), join(dir, 'preload.mjs')];
  await writeFile(
    hooks,
    `import { appendFileSync } from 'node:fs';
    export function load(url, context, next) {
      appendFileSync(${JSON.stringify(log)}, url + '\\n');
      return next(url, context);
    }`,
  );
  const hooksUrl = JSON.stringify(pathToFileURL(hooks).href);
  await writeFile(preload, `import { register } from 'node:module'; register(${hooksUrl});`);
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` };
  const logbook = await LogbookProcess.start(join(dir, 'data'), { env });
  onTestFinished(async () => void (await logbook.stop()));
  for (const file of ['/markup/plain-text.js', '/node_modules/prom-client/'])
    await expect.poll(() => readFile(log, 'utf8')).toContain(file);
});
