import type { Entry } from '../entries/entry.js';
import { entryPagePath } from '../entries/page-address.js';

export interface FeedAddresses {
  /** Origin of the pages for people, without a trailing slash. */
  readonly site: string;
  /** Absolute address of the API, without a trailing slash. */
  readonly base: string;
  /** Absolute address of this feed, with its parameters. */
  readonly self: string;
}

/** Length at which texts of entries are truncated. */
const maxTextLength = 10_000;

/** Renders the feed of a page of entries, given as the JSON that the search returns, in UTF-8. */
export function renderRssFromJson({
  entriesJson,
  addresses,
}: {
  entriesJson: Uint8Array;
  addresses: FeedAddresses;
}): Uint8Array {
  return new TextEncoder().encode(renderRss(JSON.parse(new TextDecoder().decode(entriesJson)) as Entry[], addresses));
}

/** Renders the entries, newest first, as an RSS 2.0 feed. The same entries always give the same feed. */
export function renderRss(entries: readonly Entry[], addresses: FeedAddresses): string {
  const { site, self } = addresses;
  const newestMs = Math.max(...entries.map(({ createdDate, modifyDate }) => modifyDate ?? createdDate));
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">',
    '<channel>',
    element('title', 'Logbook'),
    element('link', `${site}/`),
    element('description', 'Log entries, newest first'),
    `<atom:link href="${escapeXml(self)}" rel="self" type="application/rss+xml"/>`,
    element('generator', 'Logbook'),
    element('docs', 'https://www.rssboard.org/rss-specification'),
    ...(entries.length > 0 ? [element('lastBuildDate', new Date(newestMs).toUTCString())] : []),
    ...entries.map((entry) => renderItem(entry, addresses)),
    '</channel>',
    '</rss>',
    '',
  ].join('\n');
}

function renderItem(entry: Entry, { site, base }: FeedAddresses): string {
  const categories = [entry.level, ...entry.logbooks.map(({ name }) => name), ...entry.tags.map(({ name }) => name)];
  return [
    '<item>',
    element('title', oneLine(entry.title) || `Entry ${entry.id}`),
    element('link', `${site}${entryPagePath(entry.id)}`),
    // Feed readers identify entries by the guid, so it must never change. It is an address of the API, not of a page.
    `<guid isPermaLink="false">${escapeXml(`${base}/logs/${entry.id}`)}</guid>`,
    element('pubDate', new Date(entry.createdDate).toUTCString()),
    // The author element of RSS requires an e-mail address, which owners do not have.
    element('dc:creator', oneLine(entry.owner)),
    ...categories.flatMap((name) => (oneLine(name) === '' ? [] : [element('category', oneLine(name))])),
    ...(entry.run ? [`<category domain="run">${escapeXml(entry.run.status)}</category>`] : []),
    element('description', toHtml(printable(entry.description))),
    ...renderEnclosure(entry, base),
    '</item>',
  ].join('\n');
}

/** Renders only the first image, because RSS allows one file for each item. */
function renderEnclosure({ attachments }: Entry, base: string): string[] {
  const image = attachments.find(({ contentType }) => contentType.startsWith('image/'));
  if (!image) return [];
  const url = `${base}/attachment/${encodeURIComponent(image.id.toWellFormed())}`;
  return [`<enclosure url="${escapeXml(url)}" length="${image.size}" type="${escapeXml(image.contentType)}"/>`];
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

/** Escapes a text for feed readers, which interpret a description as HTML. */
function toHtml(text: string): string {
  return escapeXml(text).replace(/\r\n?/g, '\n').replaceAll('\n', '<br>\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** Removes control characters and other characters that XML cannot contain, and truncates long texts. */
function printable(text: string): string {
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
  return cut.toWellFormed().replace(/[\0-\x08\v\f\x0E-\x1F\x7F-\x9F\uFFFE\uFFFF]/g, '');
}
