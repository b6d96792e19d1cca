import { expect, test } from 'vitest';
import { escapeMarkdown } from './escape-markdown.ts';

test('a title stays text, whatever it holds', () => {
  expect(escapeMarkdown('RF *trip* [x](javascript:1) <b> `a`\nSR_01')).toBe(
    'RF \\*trip\\* \\[x\\](javascript:1) \\<b\\> \\`a\\` SR\\_01',
  );
});
