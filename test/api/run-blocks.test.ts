import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { renderHtml } from '../../packages/markup/html.js';
import { type Block, renderBlock } from '../../src/entries/render-block.js';
import { TextRenderer } from '../../src/entries/text-renderer.js';
import { shownText } from '../fixtures/markup-corpus.js';

const texts = new TextRenderer();
afterAll(() => texts.close());

const page = { link: (href: string) => ({ href }), image: (src: string) => ({ src }) };
const shown = (source: string) => shownText(renderHtml(source, page));
/** The parser replaces NUL, which the interface refuses. */
const spaced = (text: string) => text.replace(/[\s\u0085]+/g, ' ').trim();
const marks = fc.constantFrom('`', '``', ' ', '\n', '\r', '\u2028', '# H', '- ', '|', '*a*', '\\', '<b>', '&amp;', 'ä');
const content = fc
  .oneof(
    fc.array(marks, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme' }),
  )
  .filter((text) => !text.includes('\0'));

test('readers see names and values as they are, each in one line', async () => {
  const values = fc.array(fc.record({ name: content, value: content }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(values, fc.constantFrom('commonmark', 'none'), async (sent, markup) => {
      const { source, description } = await renderBlock(texts, { text: '', values: sent }, markup);
      const mark = markup === 'none' ? '' : '- ';
      const lines = sent.map(({ name, value }) => spaced(`${mark}${spaced(name)}: ${spaced(value)}`));
      expect(description.split('\n').map(spaced)).toEqual(lines);
      if (markup === 'none') return;
      expect(spaced(shown(source))).toBe(spaced(lines.map((line) => line.replace('-', '•')).join('\n')));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['`a` b', '- `x`: `` `a` b ``'],
  ['', '- `x`:'],
  ['two\n# lines', '- `x`: `two # lines`'],
])('the value %j becomes %s', async (value, source) => {
  const block: Block = { text: '', values: [{ name: 'x', value }] };
  expect((await renderBlock(texts, block, 'commonmark')).source).toBe(source);
});

test.each(['```js\ncode', '~~~~', '  ```\n    code\n', `${'long '.repeat(500)}\n\`\`\`\ncode`])(
  'a code block that the text of a block leaves open ends with it, also before its values (%#)',
  async (text) => {
    const first = (await renderBlock(texts, { text, values: [{ name: 'motor', value: '1.5' }] }, 'commonmark')).source;
    expect(shown(first).trim()).toMatch(/• motor: 1\.5$/);
    const next = (await renderBlock(texts, { text, values: [] }, 'commonmark')).source;
    expect(renderHtml(`${next}\n\n**next**`, page).trim()).toMatch(/<p[^>]*><strong>next<\/strong><\/p>$/);
  },
);
