import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditLog } from '../../src/auth/audit-log.js';
import type { AuthStorage } from '../../src/auth/auth-storage.js';
import { openSqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import { systemClock as clock } from '../../src/kernel/clock.js';
import { silentLog as log, silentIntegrity, silentJobs } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';

let dataDir: string;
let storage: Awaited<ReturnType<typeof openSqliteStorage>>['storage'];
let audit: AuditLog;
/** Called once, when the next commit has begun. */
let onCommit: (() => void) | undefined;

const record = (target: string) =>
  audit.record({ userName: 'jane', action: 'POST /mcp', target, from: '::1', outcome: 'done', detail: '' });
const targets = async () => (await audit.list({}, 10)).map(({ target }) => target);

beforeAll(async () => {
  dataDir = await makeTempDir();
  const jobs = silentJobs();
  ({ storage } = await openSqliteStorage({ dataDir, log, jobs, integrity: silentIntegrity(), searchThreads: 0 }));
  const watched: AuthStorage = {
    committed: storage.committed,
    remove: (removal) => storage.remove(removal),
    write: (work) => {
      const committed = storage.write(work);
      onCommit?.();
      onCommit = undefined;
      return committed;
    },
  };
  const clockWatch = { mayRemoveByAge: () => false };
  audit = new AuditLog({ storage: watched, clock, clockWatch, log, jobs }, 1_000_000);
});
afterAll(async () => {
  await audit.close();
  await storage.close();
  await rm(dataDir, { recursive: true });
});

test('records that arrive during a commit wait for the next one, so that steady calls do not commit all the time', async () => {
  record('first');
  onCommit = () => record('during');
  expect(await targets()).toEqual(['first']);
  expect(await targets()).toEqual(['during', 'first']);
});

test('more records than one commit takes are all stored by the time they are listed', async () => {
  for (let at = 0; at < 1_200; at++) record(String(at));
  expect((await audit.list({}, 2_000)).filter(({ target }) => /^\d+$/.test(target))).toHaveLength(1_200);
});
