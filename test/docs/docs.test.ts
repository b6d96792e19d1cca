import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configurationPage } from '../../scripts/configuration-page.js';
import { directoriesPage } from '../../scripts/directories-page.js';
import { describeError } from '../../src/http/reply/error-body.js';
import { Fault, type FaultKind } from '../../src/kernel/fault.js';
import { productDir } from '../../src/kernel/product.js';

const read = (...path: string[]) => readFileSync(join(productDir, ...path), 'utf8');

function sources(): string[] {
  return readdirSync(join(productDir, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => read('src', file));
}

test('docs/operator/configuration.md is what the settings say (npm run docs writes it)', () => {
  expect(read('docs', 'operator', 'configuration.md')).toBe(configurationPage());
});

test('docs/operator/directories.md is what the keys say (npm run docs writes it)', () => {
  expect(read('docs', 'operator', 'directories.md')).toBe(directoriesPage());
});

describe('docs/operator/errors.md', () => {
  const documented = new Map(
    Array.from(
      read('docs', 'operator', 'errors.md').matchAll(/^\| `([\w.*-]+)` \| (\w+) \| .+ \|$/gm),
      ([, code, status]) => [code, status],
    ),
  );
  /** What stands behind a template in a code is any word. */
  const pattern = (code: string) => code.replace(/\$\{[^}]*\}/, '*');
  const raised = sources().flatMap((source) => [
    ...Array.from(source.matchAll(/new Fault\(\s*'([\w-]+)',\s*['`]([^'`]+)['`]/g), ([, kind = '', code = '']) => ({
      code: pattern(code),
      status: String(describeError(new Fault(kind as FaultKind, code, '')).status),
    })),
    ...Array.from(source.matchAll(/status: (\d+),\s*code: '([\w.-]+)'/g), ([, status = '', code = '']) => ({
      code,
      status,
    })),
  ]);
  const rowOf = (code: string) =>
    [code, code.replace(/-[\w*-]+$/, '-*'), code.replace(/\.(too-many|unknown|duplicate)-.+$/, '.$1-*')].find((row) =>
      documented.has(row),
    );

  test('has a row for each code that the service can answer, with its status', () => {
    expect(raised.length).toBeGreaterThan(60);
    for (const { code, status } of raised) {
      const row = rowOf(code);
      expect(row, code).toBeDefined();
      expect(documented.get(row ?? ''), code).toBe(status);
    }
  });

  test('has no row for a code that is gone', () => {
    const used = new Set(raised.map(({ code }) => rowOf(code)));
    expect([...documented.keys()].filter((code) => !used.has(code))).toEqual(['request.refused']);
  });
});
