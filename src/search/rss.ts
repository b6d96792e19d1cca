import type { Entry } from '../entries/entry.js';

export interface FeedAddresses {
  /** Absolute address of the API, without a slash at its end. */
  readonly base: string;
  /** Absolute address of this very feed, with its parameters. */
  readonly self: string;
}

const longestText = 10_000;

/** The feed of a page of entries, given as the search has it. */
export function rssOf({ entriesJson, addresses }: { entriesJson: Uint8Array; addresses: FeedAddresses }): string {
  return renderRss(JSON.parse(new TextDecoder().decode(entriesJson)) as Entry[], addresses);
}

/** The entries, newest first, as an RSS 2.0 feed that says the same of the same entries. */
export function renderRss(entries: readonly Entry[], { base, self }: FeedAddresses): string {
  const newestMs = Math.max(...entries.map(({ createdDate, modifyDate }) => modifyDate ?? createdDate));
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">',
    '<channel>',
    element('title', 'Logbook'),
    element('link', base),
    element('description', 'Log entries, newest first'),
    `<atom:link href="${escapeXml(self)}" rel="self" type="application/rss+xml"/>`,
    element('generator', 'Logbook'),
    element('docs', 'https://www.rssboard.org/rss-specification'),
    ...(entries.length > 0 ? [element('lastBuildDate', new Date(newestMs).toUTCString())] : []),
    ...entries.map((entry) => renderItem(entry, base)),
    '</channel>',
    '</rss>',
    '',
  ].join('\n');
}

function renderItem(entry: Entry, base: string): string {
  const link = `${base}/logs/${entry.id}`;
  const categories = [entry.level, ...entry.logbooks.map(({ name }) => name), ...entry.tags.map(({ name }) => name)];
  return [
    '<item>',
    element('title', oneLine(entry.title) || `Entry ${entry.id}`),
    element('link', link),
    `<guid isPermaLink="true">${escapeXml(link)}</guid>`,
    element('pubDate', new Date(entry.createdDate).toUTCString()),
    // An author of RSS is an e-mail address, which nobody has here.
    element('dc:creator', oneLine(entry.owner)),
    ...categories.flatMap((name) => (oneLine(name) === '' ? [] : [element('category', oneLine(name))])),
    element('description', toHtml(printable(entry.description))),
    ...renderEnclosure(entry, base),
    '</item>',
  ].join('\n');
}

/** RSS has one file an item: the first image. */
function renderEnclosure({ attachments }: Entry, base: string): string[] {
  const image = attachments.find(({ contentType }) => contentType.startsWith('image/'));
  if (!image) return [];
  const url = `${base}/attachment/${encodeURIComponent(image.id.toWellFormed())}`;
  return [`<enclosure url="${escapeXml(url)}" length="${image.size}" type="${escapeXml(image.contentType)}"/>`];
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

/** Readers take a description for HTML; the text of an entry is none, so that nothing in it acts as such. */
function toHtml(text: string): string {
  return escapeXml(text).replace(/\r\n?/g, '\n').replaceAll('\n', '<br>\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** Without the characters that XML cannot hold and without other control characters; not endless. */
function printable(text: string): string {
  const cut = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  return cut.toWellFormed().replace(/[\0-\x08\v\f\x0E-\x1F\x7F-\x9F\uFFFE\uFFFF]/g, '');
}
