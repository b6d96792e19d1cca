import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentIntegrity } from '../../../test/fixtures/log.js';
import { makeTempDir } from '../../../test/fixtures/service.js';
import type { Integrity } from '../../kernel/integrity.js';
import { openDatabase } from './database/open-database.js';
import { databaseCheckJob } from './database-check-job.js';
import { documentsFile } from './inspect-documents.js';

let dir: string;
let integrity: Integrity;
beforeEach(async () => {
  dir = await makeTempDir();
  integrity = silentIntegrity();
  (await openDatabase(join(dir, documentsFile), 'writer')).close();
});
afterEach(() => rm(dir, { recursive: true }));

const never = new AbortController().signal;

test('a database that was found damaged is checked again at the next run; an intact one only after a week', async () => {
  const job = databaseCheckJob(join(dir, documentsFile), integrity);
  await job.run(never);
  integrity.report({
    kind: 'database',
    subject: documentsFile,
    path: documentsFile,
    reason: 'a page was read wrongly',
  });
  await job.run(never);
  expect(integrity.has('database', documentsFile)).toBe(false);
  // The check would fail.
  await rm(join(dir, documentsFile));
  expect(await job.run(never)).toBe('idle');
});

test.skipIf(process.platform !== 'linux')('the process that checks ends when its parent is killed', async () => {
  // Opening a pipe waits for a writer, as long as the check of a large table would take.
  const pipe = join(dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const script = `
    const { databaseCheckJob } = await import(process.argv[1]);
    databaseCheckJob(process.argv[2], { has: () => false }).run(new AbortController().signal);
    process.send('started');`;
  const module = new URL('./database-check-job.js', import.meta.url).href;
  const parent = fork('-', [], { execArgv: ['--input-type=module', '-e', script, module, pipe] });
  await once(parent, 'message');
  const children = () => readFile(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8');
  const child = Number(await children());
  expect(child).toBeGreaterThan(0);
  // The child waits in the call that opens the pipe.
  const isWaiting = async () =>
    /fifo|wait_for_partner|^0$/.test(await readFile(`/proc/${child}/wchan`, 'utf8').catch(() => 'fifo'));
  await expect.poll(isWaiting).toBe(true);
  parent.kill('SIGKILL');
  const hasEnded = () =>
    readFile(`/proc/${child}/stat`, 'utf8').then(
      (stat) => / Z /.test(stat),
      () => true,
    );
  await expect.poll(hasEnded).toBe(true);
});
