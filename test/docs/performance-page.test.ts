import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withRun } from '../../bench/performance-page.js';
import { atLeast, atMost } from '../../bench/report.js';
import { productDir } from '../../src/kernel/product.js';

const page = readFileSync(join(productDir, 'docs', 'developer', 'performance.md'), 'utf8');
const conditions = {
  ...{ date: new Date('2026-11-30T12:00:00Z'), version: '1.2.3', node: 'v24.1.0', cores: 2, seconds: 3 },
  processor: 'a processor',
};

test('a run replaces the run before it in the page about performance, and nothing else', () => {
  const lines = [
    { name: 'GET /logs/{id}', figure: '  2800/s   p50   0.32 ms', ratio: 'p50 2 x H', aim: atMost(5, 4, 'ms') },
    { name: 'a|b', figure: '3179/s', aim: atLeast(3_179, 3_000, '/s') },
  ];
  const once = withRun(page, [{ name: 'to be replaced', figure: '1/s' }], { ...conditions, version: '1.2.2' });
  const written = withRun(once, lines, conditions);
  expect(written).toContain(
    '\nVersion 1.2.3 on 2026-11-30: Node.js v24.1.0, 2 cores (a processor), 3 s for each load.\n',
  );
  expect(written).toContain('\n| GET /logs/{id} | 2800/s p50 0.32 ms | p50 2 x H | at most 4 ms: **missed** |\n');
  expect(written).toContain('\n| a\\|b | 3179/s |  | at least 3000 /s |\n');
  expect(written).not.toMatch(/1\.2\.2|to be replaced/);
  const around = (text: string) => [text.split('<!-- The run')[0], text.split('<!-- End')[1]];
  expect(around(written)).toEqual(around(page));
  expect(() => withRun('# Another page', lines, conditions)).toThrow('no place for a run');
});
