import { beforeAll, describe, expect, test } from 'vitest';
import { markupCorpus, shownText } from '../../../test/fixtures/markup-corpus.ts';

let renderMarkdown: (source: string) => string;

// The page says where the service is; a test has no page.
beforeAll(async () => {
  const location = { origin: 'https://log.example.org' };
  Object.assign(globalThis, { document: { querySelector: () => null }, location });
  ({ renderMarkdown } = await import('./markdown.ts'));
  for (const name of ['document', 'location']) Reflect.deleteProperty(globalThis, name);
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

test.each([
  ['![a](attachment/a) ![b](attachment/b)', true],
  ['![a](attachment/a)', false],
  ['![a](attachment/a)\n![b](attachment/b)', false],
  ['![a](attachment/a) and ![b](attachment/b)', false],
  ['![a](attachment/a) ![b](https://x.org/b.png)', false],
])('images are next to each other only if their line has nothing else: %j', (source, expected) => {
  expect(renderMarkdown(source).startsWith('<p class="pictures">')).toBe(expected);
});

test('numbers of entries are links', () => {
  expect(renderMarkdown('See #48211 and `#1`.')).toBe(
    '<p>See <a href="/entries/48211" data-entry="48211">#48211</a> and <code class="device">#1</code>.</p>\n',
  );
});

test('links to other hosts have no opener, and addresses that sign out have no link', () => {
  const away = 'target="_blank" rel="noreferrer"';
  expect(renderMarkdown('[a](//other.example/x) ![b](//other.example/attachment/c)')).toBe(
    `<p><a href="//other.example/x" ${away}>a</a> <a href="//other.example/attachment/c" ${away}>b</a></p>\n`,
  );
  for (const target of ['/logbook/logout', 'https://log.example.org/Olog/log%6Fut', '/logbook/login/oidc']) {
    expect(renderMarkdown(`[a](${target}) ![b](${target})`)).toBe('<p><a>a</a> <a>b</a></p>\n');
  }
});
