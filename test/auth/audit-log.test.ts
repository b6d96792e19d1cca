import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AuditLog } from '../../src/auth/audit-log.js';
import type { AuthStorage } from '../../src/auth/auth-storage.js';
import { openSqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import { systemClock as clock } from '../../src/kernel/clock.js';
import { silentLog as log, silentIntegrity, silentJobs } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';

let dataDir: string;
let storage: Awaited<ReturnType<typeof openSqliteStorage>>['storage'];
let watched: AuthStorage;
let audit: AuditLog;
/** Called once, when the next commit has begun. */
let onCommit: (() => void) | undefined;

const record = (target: string, into = audit) =>
  into.record({ userName: 'jane', action: 'POST /mcp', target, from: '::1', outcome: 'done', detail: '' });
const openAudit = () => {
  const clockWatch = { mayRemoveByAge: () => false };
  return new AuditLog({ storage: watched, clock, clockWatch, log, jobs: silentJobs() }, 1_000_000);
};
const targets = async () => (await audit.list({}, 10)).map(({ target }) => target);

beforeAll(async () => {
  dataDir = await makeTempDir();
  const jobs = silentJobs();
  ({ storage } = await openSqliteStorage({ dataDir, log, jobs, integrity: silentIntegrity(), searchThreads: 0 }));
  watched = {
    committed: storage.committed,
    remove: (removal) => storage.remove(removal),
    write: (work) => {
      const committed = storage.write(work);
      const called = onCommit;
      onCommit = undefined;
      called?.();
      return committed;
    },
  };
  audit = openAudit();
});
afterAll(async () => {
  await audit.close();
  await storage.close();
  await rm(dataDir, { recursive: true });
});

test('records that arrive during a commit wait for the next one, so that steady calls do not commit all the time', async () => {
  // The next commit does not become due, however long this one takes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    record('first');
    onCommit = () => record('during');
    expect(await targets()).toEqual(['first']);
  } finally {
    vi.useRealTimers();
  }
  expect(await targets()).toEqual(['during', 'first']);
});

test('more records than one commit takes are all stored by the time they are listed', async () => {
  for (let at = 0; at < 1_200; at++) record(String(at));
  expect((await audit.list({}, 2_000)).filter(({ target }) => /^\d+$/.test(target))).toHaveLength(1_200);
});

test('records that arrive during the last commit are stored before the log is closed', async () => {
  const closing = openAudit();
  record('last', closing);
  onCommit = () => {
    record('during the last', closing);
    onCommit = () => record('after that', closing);
  };
  await closing.close();
  expect((await targets()).slice(0, 3)).toEqual(['after that', 'during the last', 'last']);
});
