import { expect, test } from 'vitest';
import { firstWords } from './draft.ts';

test.each([
  ['\n\n## Beam **lost** in `SR:03`\n\nat 03:47', 'Beam lost in SR:03 at 03:47'],
  ['- one\n- two', 'one two'],
  ['![Plot](attachment/1){width=40} see [report](https://a.example)', 'Plot see report'],
  ['| PV | Value |\n|---|---|\n| A | 3 |', 'PV | Value A | 3'],
  ['200 mA - 3', '200 mA - 3'],
  ['', ''],
  ['word '.repeat(100), 'word '.repeat(32).trim()],
])('the first words of %j are %j', (text, words) => {
  expect(firstWords(text)).toBe(words);
});
