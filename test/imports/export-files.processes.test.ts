import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { editEntry, fillCatalog, fillEntries, retireNames } from '../fixtures/filled-source.js';
import { expectVerified } from '../fixtures/ledger-records.js';
import { runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { unzip } from '../fixtures/unzip.js';

const entries = 60;
let source: string;
let files: string;
beforeAll(async () => {
  source = await makeTempDir();
  files = await makeTempDir();
  const service = await TestService.start({}, source);
  await fillCatalog(service);
  await fillEntries(service, 0, entries);
  await retireNames(service);
  const text = '<script>alert(1)</script> [x](javascript:alert(1)) **bold**';
  const run = await service.create({ title: '=1+1', source: text }, '?run=true');
  const block = { text: 'Point 1', values: [{ name: 'motor', value: 1.5 }] };
  expect((await service.put(`/logs/${run.id}/blocks/1`, block)).status).toBe(200);
  await service.stop({ keepData: true });
});
afterAll(async () => {
  for (const dir of [source, files]) await rm(dir, { recursive: true, force: true });
});

const atSite = ['--public-url', 'https://log.example.org'];

/** Exports to a file in our directory; without a format, in the one that its name stands for. */
async function exportTo(name: string, format?: string): Promise<string> {
  const file = join(files, name);
  const options = format === undefined ? [] : ['--format', format];
  const { code, errors } = await runCommand(['export', file, ...options, '--data-dir', source, ...atSite]);
  expect({ code, errors: errors.replace(/.*entries\n/g, '') }).toEqual({ code: 0, errors: '' });
  return file;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
async function readAll(dataDir: string): Promise<any[]> {
  const service = await TestService.start({}, dataDir);
  try {
    const all = [];
    for (const entry of (await service.get('/logs/search?sort=up&size=500')).body.logs) {
      const archived = (await service.get(`/logs/archived/${entry.id}`)).body;
      const contents = await Promise.all(
        entry.attachments.map(({ id }: { id: string }) => service.get(`/attachment/${id}`).then(({ text }) => text)),
      );
      all.push({ entry, archived, contents });
    }
    const lists = [
      '/tags',
      '/logbooks',
      '/levels',
      '/properties?inactive=true',
      '/templates',
      '/logs/search?text=edited',
    ];
    for (const path of lists) all.push((await service.get(path)).body);
    return all;
  } finally {
    await service.stop({ keepData: true });
  }
}

describe('the export of a logbook', () => {
  test('is read back whole, also a second time, and with what was changed since', async () => {
    const file = await exportTo('all.zip', 'ndjson');
    const target = await makeTempDir();
    try {
      const importAll = (from: string) => runCommand(['import', from, '--data-dir', target]);
      const first = await importAll(file);
      expect(first.output).toMatch(/61 new, 0 changed/);
      expect(first.output).toMatch(/Both are equal/);
      expect(first.code).toBe(0);
      expect(await readAll(target)).toEqual(await readAll(source));
      expect((await importAll(file)).output).toMatch(/0 new, 0 changed, 61 as before; 0 files/);

      const service = await TestService.start({}, source);
      await editEntry(service, 5, 2);
      await service.stop({ keepData: true });
      const changed = await importAll(await exportTo('later.zip', 'ndjson'));
      expect(changed.output).toMatch(/0 new, 1 changed, 60 as before/);
      expect(await readAll(target)).toEqual(await readAll(source));
      await expectVerified(target);
    } finally {
      await rm(target, { recursive: true, force: true });
    }
  });

  test('with an id that is in use here is refused by name, and nothing is replaced', async () => {
    const target = await makeTempDir();
    const service = await TestService.start({}, target);
    await service.create({ title: 'already here' });
    await service.stop({ keepData: true });
    const { code, output } = await runCommand(['import', join(files, 'all.zip'), '--data-dir', target]);
    expect(code).toBe(2);
    expect(output).toMatch(/entry 1: An entry with the id 1 is stored here that is not from this source/);
    const titles = (await readAll(target)).flatMap(({ entry }) => (entry?.id === 1 ? [entry.title] : []));
    expect(titles).toEqual(['already here']);
    await rm(target, { recursive: true, force: true });
  });

  test('that is damaged is refused, and no data directory is left behind', async () => {
    const whole = await readFile(join(files, 'all.zip'));
    const target = join(files, 'never');
    for (const content of [whole.subarray(0, whole.length / 2), Buffer.from('no zip'), Buffer.alloc(0)]) {
      await writeFile(join(files, 'damaged.zip'), content);
      const { code, errors } = await runCommand(['import', join(files, 'damaged.zip'), '--data-dir', target]);
      expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(/cannot be read as a zip/) });
    }
    await expect(readFile(join(target, 'logbook.sqlite'))).rejects.toThrow(/ENOENT/);
  });

  test.each(['catalog.json', 'entries.ndjson'])('without its %s is refused', async (missing) => {
    const zip = new ZipFile();
    const lists = JSON.stringify({ levels: [], logbooks: [], tags: [], properties: [] });
    const content = { 'catalog.json': lists, 'templates.ndjson': '', 'entries.ndjson': '' };
    zip.addBuffer(Buffer.from('{"format":"logbook-export","version":1,"storeId":"s"}'), 'logbook.json');
    for (const [name, text] of Object.entries(content)) if (name !== missing) zip.addBuffer(Buffer.from(text), name);
    zip.end();
    const file = join(files, 'partial.zip');
    await writeFile(file, zip.outputStream as Readable);
    const { code, errors } = await runCommand(['import', file, '--data-dir', join(files, 'never')]);
    expect([code, errors]).toEqual([1, expect.stringContaining(`it has no ${missing}`)]);
  });

  test('as html shows texts without running them, and links the files', async () => {
    const content = await unzip(await exportTo('all-html.zip', 'html'));
    const pages = [...content].filter(([name]) => /^\d{4}-\d\d[.]html$/.test(name)).map(([, page]) => String(page));
    expect(pages.length).toBeGreaterThan(0);
    const html = pages.join('');
    expect(html.match(/<article /g)).toHaveLength(entries + 1);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toMatch(/<script|href="javascript:/);
    expect(html).toContain('<strong>bold</strong>');
    for (const [, path] of html.matchAll(/href="(files[^"]*)"/g))
      expect(content.has(decodeURIComponent(path as string))).toBe(true);
    expect(html.match(/<h2><a href="https:\/\/log\.example\.org\/entries\/\d+">/g)).toHaveLength(entries + 1);
  });

  test('to a name that ends with .html is a page to open, with a directory next to it', async () => {
    const file = await exportTo('for people.HTML');
    const index = await readFile(file, 'utf8');
    const months = [...index.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => decodeURIComponent(href as string));
    expect(months.length).toBeGreaterThan(0);
    const linked: string[] = [];
    for (const month of months) {
      const page = await readFile(join(files, month), 'utf8');
      expect(page).toContain('<a href="../for%20people.HTML">All months</a>');
      linked.push(...[...page.matchAll(/href="(files[^"]*)"/g)].map(([, href]) => decodeURIComponent(href as string)));
    }
    expect(linked.length).toBeGreaterThan(0);
    for (const path of linked) await readFile(join(files, 'for people_files', path));
    const again = await runCommand(['export', file, '--data-dir', source]);
    expect(again.code).toBe(1);
    expect(again.errors).toMatch(/for people_files exists already\. Remove it, or choose another name/);
    expect((await readdir(files)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test.each([
    ['by.CSV', /^\ufeffid,created,/],
    ['by.zip', 'entries.ndjson'],
    ['by.ndjson', 'entries.ndjson'],
    ['without-extension', 'entries.ndjson'],
    ['by.Eln', 'by/ro-crate-metadata.json'],
    ['by.html.zip', 'index.html'],
  ])('to %s has the format that the name stands for', async (name, expected) => {
    const file = await exportTo(name);
    if (expected instanceof RegExp) expect(await readFile(file, 'utf8')).toMatch(expected);
    else expect([...(await unzip(file)).keys()]).toContain(expected);
  });

  test('in another format than the name stands for is written as asked', async () => {
    expect(await readFile(await exportTo('table.zip', 'CSV'), 'utf8')).toMatch(/^\ufeffid,created,/);
  });

  test.each([
    [
      ['out.xlsx'],
      /out\.xlsx does not determine a format\. Use a name that ends with .*\.zip, .*\.csv, or --format ndjson\|eln/,
    ],
    [['out.csv', '--format', 'xlsx'], /--format: xlsx is not one of ndjson, eln, html, csv/],
    [['-'], /the export is written to a file/],
    [['dir.zip'], /dir\.zip is a directory/],
    [['no-such/out.csv'], /the directory .*no-such does not exist/],
  ])('%j is refused before anything is read', async ([name = '', ...options], message) => {
    await mkdir(join(files, 'dir.zip'), { recursive: true });
    const file = name === '-' ? name : join(files, name);
    const { code, errors } = await runCommand(['export', file, ...options, '--data-dir', join(files, 'never')]);
    expect({ code, errors }).toEqual({ code: 64, errors: expect.stringMatching(message) });
    expect(await readdir(files)).not.toContain('never');
  });

  test('as csv has one line for each entry, and no cell that is a formula', async () => {
    const csv = await readFile(await exportTo('all.csv', 'csv'), 'utf8');
    expect(csv).toMatch(/^\ufeffid,created,.*,link\r\n/);
    expect(csv.match(/,https:\/\/log\.example\.org\/entries\/\d+\r\n/g)).toHaveLength(entries + 1);
    expect(csv.match(/^\d+,\d{4}-/gm)).toHaveLength(entries + 1);
    expect(csv).toContain(",'=1+1,");
  });
});
