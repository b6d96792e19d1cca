import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { storedFiles } from '../fixtures/stored-files.js';

const documents = (dataDir: string) => join(dataDir, 'logbook.sqlite');

test.each([
  ['missing', async () => undefined],
  ['empty', (dataDir: string) => writeFile(documents(dataDir), '')],
])('a start beside a database that is %s leaves every attachment file', async (_case, replace) => {
  const dataDir = await makeTempDir();
  const first = await TestService.start({}, dataDir);
  const entry = { title: 'Trip', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a' }] };
  expect(await first.sendForm('PUT', entry, [{ name: 'a', content: 'kept' }])).toMatchObject({ status: 200 });
  await first.stop({ keepData: true });
  const before = await storedFiles(dataDir);
  expect(before.kept).toHaveLength(1);
  for (const suffix of ['', '-wal', '-shm']) await rm(`${documents(dataDir)}${suffix}`, { force: true });
  await replace(dataDir);

  const second = await TestService.start({}, dataDir);
  // Stopping waits for the work that the start began.
  await second.stop({ keepData: true });
  expect(await storedFiles(dataDir)).toEqual(before);
  await rm(dataDir, { recursive: true });
});
