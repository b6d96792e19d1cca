import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPropertiesFile, toPropertiesText } from './properties-file.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'properties-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('values are read as they were written, whatever characters are in them', async () => {
  const part = fc.constantFrom(
    '\\',
    '\n',
    '\r',
    '=',
    ':',
    '#',
    '!',
    ' ',
    '\t',
    '"',
    "'",
    'u',
    'é',
    '日',
    '\u2028',
    '𝄞',
    'a',
  );
  const text = fc.oneof(
    fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ maxLength: 200 }),
  );
  const file = join(dir, 'x.properties');
  await fc.assert(
    fc.asyncProperty(text, text, async (first, second) => {
      fc.pre(!`${first}${second}`.includes('\0'));
      await writeFile(
        file,
        toPropertiesText('# Comment', [
          ['a', first],
          ['b.c', second],
        ]),
      );
      expect(readPropertiesFile(file)).toEqual({ a: first, 'b.c': second });
    }),
    { numRuns: 200 },
  );
});
