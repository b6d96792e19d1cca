import { rm } from 'node:fs/promises';
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
  integrity.report({ kind: 'database', subject: documentsFile, reason: 'a page was read wrongly' });
  await job.run(never);
  expect(integrity.has('database', documentsFile)).toBe(false);
  // The check would fail.
  await rm(join(dir, documentsFile));
  expect(await job.run(never)).toBe('idle');
});
