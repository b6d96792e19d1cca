import { expect, test } from 'vitest';
import { markupCorpus } from '../../test/fixtures/markup-corpus.js';
import { wholeTextOf } from './earlier-description.js';

test.each([
  ['[12:03]: tripped', '', '[12:03]: tripped'],
  ['12. November', 'November', 'November\n12.'],
  ['```python\nx\n```', 'x', 'x\npython'],
  ['[log](https://x.org/a)', 'log', 'log\nhttps://x.org/a'],
  ['![Plot](attachment/1) **a**', 'Plot a', 'Plot a'],
  ['', 'from another service', 'from another service'],
])('%j, which an earlier version described as %j, is found as %j', (source, description, whole) => {
  expect(wholeTextOf({ source, description })).toBe(whole);
});

test('a description by the present rules is complete, unless a link uses a definition', () => {
  for (const { source, description } of Object.values(markupCorpus).flat()) {
    if (!source.includes('][1]')) expect(wholeTextOf({ source, description })).toBe(description);
  }
});
