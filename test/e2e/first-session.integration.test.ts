import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { LogbookProcess } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';

const run = promisify(execFile);

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** The commands of the section, one per line. */
function firstSession(): string[] {
  const page = readFileSync(join(productDir, 'docs', 'user', 'start.md'), 'utf8');
  const [, block = ''] = /## With curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? [];
  return block.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

// Skipped on a machine without curl; in CI its absence is a failure.
test.skipIf(!hasCurl() && !process.env.CI)(
  'the first session of the documentation works when pasted line by line',
  async () => {
    const dir = await makeTempDir();
    const logbook = await LogbookProcess.start(join(dir, 'data'));
    try {
      const answers: string[] = [];
      for (const line of firstSession()) {
        const command = line.replaceAll('http://127.0.0.1:8080', logbook.origin);
        const { stdout } = await run('sh', ['-c', command.replace(/^curl /, 'curl -sS --fail ')], { cwd: dir });
        if (line.startsWith('curl')) answers.push(stdout);
      }
      const [created, found, counted, explained, withFile, file] = answers;
      expect(JSON.parse(created ?? '')).toMatchObject({ id: 1, title: 'Magnet trip', level: 'Problem' });
      expect(JSON.parse(found ?? '')).toMatchObject({ hitCount: 1, logs: [{ id: 1 }] });
      expect(JSON.parse(counted ?? '')).toMatchObject({
        hitCount: 1,
        levels: { values: [{ name: 'Problem', count: 1 }] },
      });
      expect(JSON.parse(explained ?? '')).toMatchObject({ hitCount: 0, explain: { parts: [{ value: 'triped' }] } });
      expect(JSON.parse(withFile ?? '')).toMatchObject({
        id: 2,
        attachments: [{ id: 'trip-data-1', contentType: 'text/csv' }],
      });
      expect(file).toBe('time,current\n');
    } finally {
      await logbook.stop();
      await rm(dir, { recursive: true, force: true });
    }
  },
);
