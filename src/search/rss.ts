import type { EntryView } from '../entries/entry-view.js';

/** An RSS 2.0 feed of the entries; `base` is the absolute address of the API. */
export async function renderRss(entries: readonly EntryView[], base: string): Promise<string> {
  const { Feed } = await import('feed');
  const newest = entries[0];
  const feed = new Feed({
    title: 'Logbook',
    description: 'Log entries, newest first',
    id: `${base}/logs/rss`,
    link: base,
    copyright: '',
    generator: 'Logbook',
    ...(newest && { updated: new Date(newest.createdDate) }),
  });
  for (const entry of entries) {
    const link = `${base}/logs/${entry.id}`;
    feed.addItem({
      title: printable(entry.title),
      id: link,
      guid: link,
      link,
      date: new Date(entry.createdDate),
      description: printable(entry.description),
      author: [{ name: printable(entry.owner) }],
      category: [
        { name: printable(entry.level) },
        ...entry.logbooks.map(({ name }) => ({ name: printable(name) })),
        ...entry.tags.map(({ name }) => ({ name: printable(name) })),
      ],
    });
  }
  return feed.rss2();
}

const longestDescription = 10_000;

/** Without the characters that XML cannot hold, and without the end of the sections that the text is put in. */
function printable(text: string): string {
  return text
    .slice(0, longestDescription)
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(']]>', ']] >');
}
