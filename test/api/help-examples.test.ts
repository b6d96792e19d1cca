import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderHtml } from '../../packages/markup/html.js';
import { productDir } from '../../src/kernel/product.js';
import { searchLimits } from '../../src/search/search-limits.js';
import { call, entryForm, type FormFile, TestService } from '../fixtures/service.js';

/** Tests the help pages as readers see them: every example is visible text, marked by an attribute. */

const pages = { SearchHelp: readPage('SearchHelp'), CommonmarkCheatsheet: readPage('CommonmarkCheatsheet') };

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

describe('addresses of the help pages', () => {
  test.each(Object.entries(pages))('/%s.html answers the English page as text/html', async (name, page) => {
    const answer = await call(`${service.origin}/${name}.html`, { as: null });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toBe(page);
  });

  test.each(['?lang=de', '?lang=en-GB', ''])('GET /help/SearchHelp%s answers in English', async (query) => {
    const answer = await service.get(`/help/SearchHelp${query}`, { as: null });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toBe(pages.SearchHelp);
  });

  test.each(['nothing', 'SearchHelp_en', '..%2F..%2Fpackage.json'])('GET /help/%s: 200 null', async (what) => {
    const answer = await service.get(`/help/${what}`, { as: null });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.text).toBe('null');
  });

  test.each(Object.entries(pages))('%s links to the other page wherever it is read', async (name, page) => {
    const [other = ''] = [...page.matchAll(/href="(\w+\.html)"/g)].map(([, href = '']) => href);
    expect(Object.keys(pages)).toContain(other.replace('.html', ''));
    for (const from of [`${service.origin}/${name}.html`, `${service.base}/help/${name}`]) {
      const answer = await call(new URL(other, from).href, { as: null });
      expect(answer.text, from).toMatch(/^<!doctype html>/);
    }
  });
});

describe.each(Object.entries(pages))('%s', (_name, page) => {
  test('contains no script and loads no resources', () => {
    expect(page).not.toMatch(/<(script|link|iframe|object|embed|img|base|form)\b|\son\w+=|\bsrc=|@import|url\(/i);
  });

  test('declares its language and supports phones and dark mode', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toContain('name="viewport"');
    expect(page).toContain('prefers-color-scheme');
  });

  test('lists exactly its sections in the contents', () => {
    const linked = [...(/<nav[\s\S]*?<\/nav>/.exec(page)?.[0] ?? '').matchAll(/href="#(\w+)"/g)].map(([, id]) => id);
    const sections = [...page.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id);
    expect(sections.length).toBeGreaterThan(0);
    expect(linked).toEqual(sections);
    for (const [, target] of page.matchAll(/href="#(\w+)"/g)) expect(sections).toContain(target);
  });
});

describe('the search page', () => {
  const page = pages.SearchHelp;
  const samples = rowsOf(page, 'data-sample').map(readSample);
  const searches = rowsOf(page, 'data-search').map((row) => {
    const [query = '', finds = ''] = cellsOf(row);
    return { query, finds: finds === 'none' ? [] : finds.split(', ').map(Number) };
  });
  const refusals = rowsOf(page, 'data-refused').map(cellsOf);
  const instants = rowsOf(page, 'data-instant').map((row) => codesIn(row));
  const times = rowsOf(page, 'data-time').map((row) => codesIn(row)[0] ?? '');
  const units = marked(page, 'code', 'data-unit');
  const feeds = marked(page, 'code', 'data-feed');
  const limits = [...page.matchAll(/data-limit="(\w+)">(\d+)</g)].map(([, ...limit]) => limit);

  /** Number of an entry on the page, by its id in the service. */
  const numberOf = new Map<number, number>();
  /** Id of the entry with an event at an instant, by the instant in the table of times. */
  const eventAt = new Map<string, number>();
  let timeline: TestService;

  beforeAll(async () => {
    await service.put('/tags', [...new Set(samples.flatMap(({ tags }) => tags))].map(named), { as: 'admin:adminPass' });
    for (const sample of samples) numberOf.set(await store(service, sample), sample.number);
    timeline = await TestService.start();
    for (const instant of new Set(instants.map(([, meant = '']) => meant))) {
      const events = [{ name: 'then', instant: Date.parse(instant) }];
      eventAt.set(instant, (await timeline.create({ events })).id);
    }
  });
  afterAll(() => timeline?.stop());

  test('contains sample entries and examples of every kind', () => {
    for (const kind of [samples, searches, refusals, instants, times, units, feeds, limits]) {
      expect(kind.length).toBeGreaterThan(0);
    }
    expect(samples.map(({ number }) => number)).toEqual(samples.map((_, index) => index + 1));
  });

  test('lists exactly the parameters of the search', async () => {
    const named = rowsOf(page, 'data-keys').flatMap((row) => codesIn(/<th[\s\S]*?<\/th>/.exec(row)?.[0] ?? ''));
    const { body } = await call(`${service.origin}/openapi.json`);
    const { parameters } = Object.entries<{ get: { parameters: { name: string }[] } }>(body.paths).find(([path]) =>
      path.endsWith('/logs/search'),
    )?.[1].get ?? { parameters: [] };
    expect(named.toSorted()).toEqual(parameters.map(({ name }) => name).toSorted());
  });

  test.each(searches)('$query finds $finds, in that order', async ({ query, finds }) => {
    const { ids, hitCount } = await service.search(encodeQuery(query));
    expect(ids.map((id) => numberOf.get(id))).toEqual(finds);
    const isPaged = /(^|&)(size|limit|page|from)=/.test(query);
    expect(hitCount).toBe(isPaged ? samples.length : finds.length);
  });

  test.each(refusals)('400 for %s, with the code %s', async (query, code) => {
    for (const path of ['/logs', '/logs/search', '/logs/rss']) {
      const answer = await service.get(`${path}?${encodeQuery(query ?? '')}`);
      expect(answer.status, path).toBe(400);
      expect(answer.body.code, path).toBe(code);
    }
  });

  test.each(instants)('%s in Berlin is %s, to the millisecond', async (written, meant = '') => {
    const found = async (start = '', end = '') =>
      (await timeline.search(encodeQuery(`start=${start}&end=${end}&tz=Europe/Berlin`))).ids;
    expect(await found(written, meant)).toEqual([eventAt.get(meant)]);
    // An end that is a day or a year includes all of it.
    const isPeriod = /^\d{4}(-?\d\d-?\d\d)?$/.test(written ?? '');
    if (!isPeriod) expect(await found(meant, written)).toEqual([eventAt.get(meant)]);
  });

  test.each([...times, ...units.map((unit) => `1 ${unit}`)])('“%s” is a time', async (time) => {
    for (const key of ['start', 'end']) {
      const answer = await service.get(`/logs/search?${encodeQuery(`${key}=${time}`)}`);
      expect(answer.status, answer.text).toBe(200);
    }
  });

  test.each(feeds)('%s is a feed', async (address) => {
    const [path = '', query = ''] = address.split('?');
    const answer = await service.get(`${path}?${encodeQuery(query)}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/rss\+xml/);
    expect(answer.text).toContain('<rss version="2.0"');
  });

  test('states the limits of the search', () => {
    expect(new Set(limits.map(([name]) => name))).toEqual(new Set(Object.keys(searchLimits)));
    for (const [name = '', value] of limits) expect(searchLimits).toHaveProperty(name, Number(value));
  });
});

describe('the markup page', () => {
  const shownPage = { link: (href: string) => ({ href }), image: (src: string) => ({ src }) };
  const examples = [...pages.CommonmarkCheatsheet.matchAll(/<dl class="example">[\s\S]*?<\/dl>/g)].map(([example]) => ({
    source: marked(example, 'pre', 'data-source')[0] ?? '',
    plain: marked(example, 'pre', 'data-plain')[0] ?? '',
    rendered: /<dd[^>]* data-rendered[^>]*>\n([\s\S]*?)<\/dd>/.exec(example)?.[1],
  }));
  const images = examples.filter(({ rendered }) => rendered === undefined);

  test('contains examples of texts and images', () => {
    expect(examples.length).toBeGreaterThan(images.length);
    expect(images.length).toBeGreaterThan(0);
  });

  test.each(examples)(
    'the plain text of $source is as shown; the source is stored unchanged',
    async ({ source, plain }) => {
      const entry = await service.create({ source });
      expect(plain).not.toBe('');
      expect(entry).toMatchObject({ source, description: plain });
    },
  );

  test.each(examples.filter(({ rendered }) => rendered !== undefined))('$source is rendered as shown', (example) => {
    expect(example.rendered).toBe(renderHtml(example.source, shownPage));
  });

  test('the address of an image is relative to the root path and contains the attachment id', async () => {
    const ids = images.map(({ source }) => /^!\[[^\]]+\]\(attachment\/([\w-]+)\)/.exec(source)?.[1] ?? '');
    for (const id of new Set(ids)) {
      const entry = { title: 'Plot', logbooks: [{ name: 'operations' }], attachments: [{ id, filename: 'plot.png' }] };
      expect(await service.sendForm('PUT', entry, [fileNamed('plot.png')])).toMatchObject({ status: 200 });
      const answer = await service.get(`/attachment/${id}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('image/png');
    }
  });
});

function readPage(name: string): string {
  return readFileSync(join(productDir, 'assets', 'help', `${name}_en.html`), 'utf8');
}

function rowsOf(page: string, mark: string): string[] {
  return [...page.matchAll(new RegExp(`<tr ${mark}>[\\s\\S]*?</tr>`, 'g'))].map(([row]) => row);
}

function cellsOf(row: string): string[] {
  return [...row.matchAll(/<td>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => textOf(cell));
}

function codesIn(html: string): string[] {
  return [...html.matchAll(/<code>([\s\S]*?)<\/code>/g)].map(([, code = '']) => textOf(code));
}

function marked(html: string, element: string, mark: string): string[] {
  const pattern = new RegExp(`<${element} ${mark}>([\\s\\S]*?)</${element}>`, 'g');
  return [...html.matchAll(pattern)].map(([, content = '']) => textOf(content));
}

const namedCharacters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Returns the visible text of HTML. @throws Error for a character reference that is not supported here */
function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:#(\d+)|(\w+));/g, (reference, code: string | undefined, name: string | undefined) => {
      const character = code === undefined ? namedCharacters[name ?? ''] : String.fromCodePoint(Number(code));
      if (character === undefined) throw new Error(`${reference} is not decoded here`);
      return character;
    });
}

/** Encodes a query that the page shows as `key=value&key=value`. */
function encodeQuery(written: string): string {
  return written
    .split('&')
    .map((pair) => {
      const [key = '', ...value] = pair.split('=');
      return `${key}=${encodeURIComponent(value.join('='))}`;
    })
    .join('&');
}

interface Sample {
  readonly number: number;
  readonly owner: string;
  readonly tags: readonly string[];
  readonly files: readonly string[];
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Parses a row with fields such as `tags: a; b`, `properties: name.attribute = value` and `events: name at instant`. */
function readSample(row: string): Sample {
  const field = (name: string) =>
    textOf(new RegExp(`data-field="${name}">([\\s\\S]*?)</(?:th|span|strong)>`).exec(row)?.[1] ?? '');
  const list = (name: string) => (field(name) === '' ? [] : field(name).split('; '));
  const properties = new Map<string, { name: string; value: string }[]>();
  for (const written of list('properties')) {
    const [, property = '', name = '', value = ''] = /^(\w+)\.(\w+) = (.+)$/.exec(written) ?? [];
    properties.set(property, [...(properties.get(property) ?? []), { name, value }]);
  }
  const events = list('events').map((written) => {
    const [name = '', instant = ''] = written.split(' at ');
    return { name, instant: Date.parse(instant) };
  });
  return {
    number: Number(field('id')),
    owner: field('owner'),
    tags: list('tags'),
    files: list('files'),
    entry: {
      title: field('title'),
      source: field('text'),
      level: field('level'),
      logbooks: list('logbooks').map(named),
      tags: list('tags').map(named),
      properties: [...properties].map(([name, attributes]) => ({ name, attributes })),
      events,
      attachments: list('files').map((filename) => ({ filename })),
    },
  };
}

function named(name: string): { name: string } {
  return { name };
}

/** Stores a sample as its owner. Returns its id. */
async function store(service: TestService, { owner, entry, files }: Sample): Promise<number> {
  const answer = await service.call('/logs/multipart', {
    method: 'PUT',
    body: entryForm(entry, files.map(fileNamed)),
    as: owner === 'admin' ? 'admin:adminPass' : 'user:userPass',
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ owner, description: entry.source });
  return answer.body.id as number;
}

/** An image of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Returns a file whose content matches the extension of its name. */
function fileNamed(name: string): FormFile {
  const contents: Record<string, Uint8Array | string> = { png, pdf: '%PDF-1.4\n', csv: 's,mbar\n0,1e-9\n' };
  const content = contents[name.split('.').at(-1) ?? ''];
  if (content === undefined) throw new Error(`no content for ${name}`);
  return { name, content };
}
