import { mkdir, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentIntegrity, silentJobs, silentLog } from '../../../test/fixtures/log.js';
import { makeTempDir } from '../../../test/fixtures/service.js';
import { openSqliteStorage } from './sqlite-storage.js';

// The package that replaces node:sqlite before Node 24 closes a file only when its statements are garbage-collected.
const closesAtOnce = process.platform === 'linux' && Number(process.versions.node.split('.')[0]) >= 24;

test.runIf(closesAtOnce)('a storage that cannot be opened completely leaves no file open', async () => {
  const dataDir = await makeTempDir();
  await mkdir(join(dataDir, 'search.sqlite', 'not-a-database'), { recursive: true });
  await expect(
    openSqliteStorage({ dataDir, log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() }),
  ).rejects.toThrow();
  const descriptors = await readdir('/proc/self/fd');
  const open = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  expect(open.filter((file) => file.startsWith(dataDir))).toEqual([]);
  await rm(dataDir, { recursive: true });
});
