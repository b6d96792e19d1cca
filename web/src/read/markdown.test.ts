import { beforeAll, describe, expect, test } from 'vitest';
import { markupCorpus, shownText } from '../../../test/fixtures/markup-corpus.ts';

let renderMarkdown: (source: string) => string;

// The page says where the service is; a test has no page.
beforeAll(async () => {
  Object.assign(globalThis, { document: { querySelector: () => null } });
  ({ renderMarkdown } = await import('./markdown.ts'));
  Reflect.deleteProperty(globalThis, 'document');
});

const spaced = (text: string) => text.replace(/ +/g, ' ').replace(/^ /gm, '');

describe('the browser client shows texts as people type them', () => {
  test.each(Object.values(markupCorpus).flat())('$source', ({ source, description, page = description }) => {
    expect(spaced(shownText(renderMarkdown(source)))).toBe(spaced(page));
  });
});

test('images of the service are shown in their size, and others as links', () => {
  expect(renderMarkdown('![Plot](attachment/a1){width=50%} ![x](https://x.org/p.png)')).toBe(
    '<p><img src="/logbook/attachment/a1?inline=true" data-attachment="a1" alt="Plot" width="50%" /> ' +
      '<a href="https://x.org/p.png" target="_blank" rel="noreferrer">x</a></p>\n',
  );
});

test('numbers of entries are links', () => {
  expect(renderMarkdown('See #48211 and `#1`.')).toBe(
    '<p>See <a href="/entries/48211" data-entry="48211">#48211</a> and <code class="device">#1</code>.</p>\n',
  );
});
