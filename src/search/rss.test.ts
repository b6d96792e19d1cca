import { decodeHTML } from 'entities';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachment, entryDraft, logbook } from '../../test/fixtures/entries.js';
import { feedProblems, parseFeed } from '../../test/fixtures/feed.js';
import type { Entry } from '../entries/entry.js';
import { renderRss } from './rss.js';

const addresses = {
  site: 'https://log.example.org',
  base: 'https://log.example.org/logbook',
  self: 'https://log.example.org/logbook/logs/rss?a=1&b=%22',
};
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '<b>',
        '</title>',
        ']]>',
        '<![CDATA[',
        '&amp;',
        '&lt;',
        '&#x1;',
        '<!--',
        '"',
        "'",
        '\r',
        '\n',
        '\ud800',
        '\0',
        '\x85',
        '\ufffe',
      ),
    )
    .map((parts) => parts.join('')),
);
const printable = (text: string) =>
  text.toWellFormed().replace(/[^\t\n\r\x20-\x7E\xA0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
const line = (text: string) => printable(text).replace(/\s+/g, ' ').trim();

test('any content of an entry gives a valid feed that shows it as inert text', () => {
  const entry = fc.record({
    title: hostile,
    description: hostile,
    owner: hostile,
    level: hostile,
    tag: hostile,
    file: hostile,
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 3 }), (hostileEntries) => {
      const entries = hostileEntries.map(
        ({ title, description, owner, level, tag, file }, index): Entry => ({
          ...entryDraft({ title, description, level, owner: `x${owner}`, logbooks: [logbook(tag)] }),
          id: index + 1,
          version: 1,
          attachments: [attachment({ id: `x${file.replace(/[/\\]/g, '')}`, contentType: 'image/svg+xml' })],
        }),
      );
      const xml = renderRss(entries, addresses);
      expect(feedProblems(xml)).toEqual([]);
      const feed = parseFeed(xml);
      expect(feed['atom:link']['@href']).toBe(addresses.self);
      feed.item.forEach((item, index) => {
        const { title, description, owner, level, tag } = hostileEntries[index] ?? expect.fail();
        expect(item.title).toBe(line(title) || `Entry ${index + 1}`);
        expect(item['dc:creator']).toBe(line(`x${owner}`));
        expect(item.category).toEqual([line(level), line(tag)].filter((name) => name !== ''));
        const shown = decodeHTML(item.description.replaceAll('<br>\n', '\n'));
        expect(shown).toBe(printable(description).replace(/\r\n?/g, '\n'));
      });
    }),
    { numRuns: 1_000 },
  );
});

test('a long text is truncated visibly, at a whole character', () => {
  const description = '\u{1F680}'.repeat(6_000);
  const xml = renderRss([{ ...entryDraft({ description }), id: 1, version: 1 }], addresses);
  expect(parseFeed(xml).item[0]?.description).toBe(`${'\u{1F680}'.repeat(5_000)}…`);
});
