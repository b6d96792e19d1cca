import { expect, test } from 'vitest';
import { markupCorpus } from '../../test/fixtures/markup-corpus.js';
import { wholeTextOf } from './earlier-description.js';

test.each([
  ['[12:03]: tripped', '', '[12:03]: tripped'],
  ['12. November', 'November', 'November\n12.'],
  ['```python\nx\n```', 'x', 'x\npython'],
  ['[log](https://x.org/a)', 'log', 'log\nhttps://x.org/a'],
  ['![Plot](attachment/1) **a**', 'Plot a', 'Plot a'],
  ['[log](https://x.org/a)', 'log (https://x.org/a)', 'log (https://x.org/a)'],
  ['12. November', '112.', '112.\n12.'],
  ['[a]: b c', 'b [a]: c', 'b [a]: c\n[a]: b c'],
  ['', 'from another service', 'from another service'],
])('%j, which an earlier version described as %j, is found as %j', (source, description, whole) => {
  expect(wholeTextOf({ source, description })).toBe(whole);
});

test('the time to find what is missing grows with the text, not with its square', () => {
  const source = Array.from({ length: 100_000 }, (_, at) => `](a${at})`).join('');
  expect(wholeTextOf({ source, description: `${'a'.repeat(500_000)} a7` }).match(/\n/g)).toHaveLength(99_999);
});

test('a description by the present rules is complete, unless a link uses a definition', () => {
  for (const { source, description } of Object.values(markupCorpus).flat()) {
    if (!source.includes('][1]')) expect(wholeTextOf({ source, description })).toBe(description);
  }
});
