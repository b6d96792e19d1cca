import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { contentOf } from '../fixtures/directory-content.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { copyDataDir, makeTempDir, TestService } from '../fixtures/service.js';

let original: string;
let dataDir: string;
beforeAll(async () => {
  original = await makeTempDir();
  const logbook = await TestService.start({}, original);
  await logbook.create();
  await logbook.stop({ keepData: true });
});
beforeEach(async () => {
  dataDir = await makeTempDir();
  await copyDataDir(original, dataDir);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));
afterAll(() => rm(original, { recursive: true, force: true }));

/** Starts the service, which must refuse; a start that hangs is killed by the end of the test. */
async function refusal(): Promise<string> {
  const refused = LogbookProcess.spawn(dataDir);
  try {
    await expect.poll(() => refused.errors).toContain('\n');
    expect(await refused.exit()).toBe(1);
    return refused.errors;
  } finally {
    refused.signal('SIGKILL');
  }
}

test.each(['search.sqlite', 'logbook.sqlite-wal', 'lock.sqlite', 'entry-ids', 'attachments/store-id'])(
  'a named pipe in place of %s is refused by the start, verify and backup, and nothing is changed',
  async (name) => {
    const path = join(dataDir, name);
    await rm(path, { force: true });
    execFileSync('mkfifo', [path]);
    const expected = `${path} is a named pipe, not a file. Nothing was changed.`;
    expect(await refusal()).toContain(expected);
    for (const [command, ...args] of [['verify'], ['backup', join(dataDir, '..', 'place')], ['adopt'], ['doctor']]) {
      const { output, errors } = await runCommand([String(command), ...args, '--data-dir', dataDir]);
      expect(output + errors, command).toContain(expected);
    }
  },
);

test.each(['logbook.sqlite', 'search.sqlite', 'lock.sqlite', 'reserved-space'])(
  'a directory in place of %s is refused, with what was expected and what to do',
  async (name) => {
    await rm(join(dataDir, name), { force: true });
    await mkdir(join(dataDir, name));
    const before = await contentOf(dataDir);
    expect(await refusal()).toMatch(
      new RegExp(`${name} is a directory, not a file\\. Nothing was changed\\. .*move ${name} elsewhere`),
    );
    expect(await contentOf(dataDir)).toEqual(before);
  },
);

test('a file in place of a directory, or of the data directory itself, is refused', async () => {
  await rm(join(dataDir, 'attachments'), { recursive: true });
  await writeFile(join(dataDir, 'attachments'), '');
  expect(await refusal()).toContain('attachments is a file, not a directory');
  await rm(dataDir, { recursive: true });
  await writeFile(dataDir, '');
  expect(await refusal()).toContain(`${dataDir} is a file, not a directory`);
});

test('a socket is named as one', async () => {
  await rm(join(dataDir, 'search.sqlite'));
  const server = createServer();
  await new Promise<void>((listening) => {
    server.listen(join(dataDir, 'search.sqlite'), listening);
  });
  expect(await refusal()).toContain('search.sqlite is a socket');
  server.close();
});
