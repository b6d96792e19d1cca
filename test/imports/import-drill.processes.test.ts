import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { editEntry, fillCatalog, fillEntries, retireNames } from '../fixtures/filled-source.js';
import { OldService, type Quirks } from '../fixtures/old-service.js';
import { LogbookProcess } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

/** Number of entries. `npm run drill:import` imports more. */
const entries = Number(process.env.LOGBOOK_DRILL_ENTRIES ?? 160);
/** Number of hits that the source shows of a search. `npm run drill:ceiling` uses the limit of real services. */
const ceiling = Number(process.env.LOGBOOK_DRILL_CEILING ?? 300);
const timeout = 600_000 + entries * 300;

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies and reports freely
type Body = any;

let source: TestService;
let reports: string;
let target: string;
const old: OldService[] = [];
beforeEach(async () => {
  source = await TestService.start();
  target = await makeTempDir();
  reports = await makeTempDir();
});
afterEach(async () => {
  for (const service of old.splice(0)) await service.stop();
  await source.stop();
  for (const dir of [target, reports]) await rm(dir, { recursive: true, force: true });
});

async function standBefore(quirks: Quirks = {}): Promise<OldService> {
  const service = await OldService.start(source.base, quirks);
  old.push(service);
  return service;
}

function startImport(url: string, ...args: string[]): LogbookProcess {
  const fast = ['--requests-per-second', '100000', '--report', join(reports, 'report.json')];
  return LogbookProcess.spawn(target, { args: ['import', url, ...fast, ...args] });
}

/** Runs an import to its end; returns its report. */
async function runImport(url: string, ...args: string[]) {
  const process = startImport(url, ...args);
  const code = await process.exit();
  if (code === 1) throw new Error(process.errors);
  const report: Body = JSON.parse(await readFile(join(reports, 'report.json'), 'utf8'));
  return { code, report, output: process.output, errors: process.errors };
}

async function readAll(service: TestService): Promise<Map<number, Body>> {
  const found = new Map<number, Body>();
  for (let from = 0; ; from += 500) {
    const { body } = await service.get(`/logs/search?sort=up&size=500&from=${from}&includeevents=false`);
    for (const entry of body.logs) found.set(entry.id, entry);
    if (body.logs.length < 500) return found;
  }
}

/** Compares both services by their interface, independently of the importer. */
async function expectEqual(adapt: (entry: Body) => Body = (entry) => entry): Promise<void> {
  const copy = await TestService.start({}, target);
  try {
    const [there, here] = [await readAll(source), await readAll(copy)];
    expect([...here.keys()]).toEqual([...there.keys()]);
    for (const [id, entry] of there) {
      expect(here.get(id)).toEqual(adapt(entry));
      if (entry.modifyDate !== null) {
        const archived = (await source.get(`/logs/archived/${id}`)).body;
        const { hitCount, logs } = (await copy.get(`/logs/archived/${id}`)).body;
        expect({ hitCount, logs }).toEqual({ ...archived, logs: archived.logs.map(adapt) });
      }
      for (const { id: file, checksum } of entry.attachments) {
        const content = async (one: TestService) =>
          Buffer.from(await (await fetch(`${one.base}/attachment/${file}`)).arrayBuffer());
        const [original, stored] = [await content(source), await content(copy)];
        expect(stored.equals(original), `file ${file} ${checksum}`).toBe(true);
      }
    }
    for (const path of ['/tags', '/logbooks', '/levels', '/properties?inactive=true', '/templates']) {
      expect((await copy.get(path)).body, path).toEqual((await source.get(path)).body);
    }
    const next = await copy.create();
    expect(next.id).toBeGreaterThan(Math.max(...there.keys()));
  } finally {
    await copy.stop({ keepData: true });
  }
}

test('a service is brought over whole, followed while it changes, and reconciled as equal each time', {
  timeout,
}, async () => {
  await fillCatalog(source);
  await fillEntries(source, 0, entries);
  await retireNames(source);
  const first = await runImport(source.base);
  expect(first.errors).not.toMatch(/did not finish/);
  expect(first.report).toMatchObject({
    counts: { entries, created: entries, refused: 0 },
    problemCount: 0,
    reconciliation: { entriesAtSource: entries, entriesHere: entries, differences: [], isEqual: true },
  });
  expect(first.code).toBe(0);

  const again = await runImport(source.base);
  expect(again.report.counts).toMatchObject({ entries, created: 0, updated: 0, unchanged: entries, files: 0 });

  await source.put('/tags/new%20tag', { name: 'new tag' }, { as: 'admin:adminPass' });
  const more = Math.ceil(entries / 25);
  await fillCatalog(source);
  await fillEntries(source, entries, more);
  await retireNames(source);
  for (let id = 2; id < more; id += 3) await editEntry(source, id, 2);
  const followed = await runImport(source.base);
  expect(followed.report.reconciliation).toMatchObject({ differences: [], isEqual: true });
  expect(followed.report.counts.updated).toBeGreaterThan(0);
  await expectEqual();
});

test('cut connections and a killed importer: the next runs complete it, and nothing is stored twice', {
  timeout,
}, async () => {
  await fillCatalog(source);
  await fillEntries(source, 0, entries);
  const service = await standBefore();
  service.cuts = (request) => request % 13 === 0;
  for (const share of [0.3, 0.6]) {
    const killed = startImport(service.url, '--no-reconcile');
    const killAt = service.requests + Math.floor(share * (entries / 4));
    service.onRequest = () => {
      if (service.requests === killAt) killed.signal('SIGKILL');
    };
    expect(await killed.exit()).toBeNull();
  }
  service.onRequest = () => undefined;
  const last = await runImport(service.url);
  expect(last.report).toMatchObject({ problemCount: 0, reconciliation: { entriesHere: entries, isEqual: true } });
  await expectEqual();
});

test('a service that lists few entries at a time, refuses to go deeper and counts no further is brought over whole', {
  timeout,
}, async () => {
  await fillCatalog(source);
  await fillEntries(source, 0, entries);
  const pageEntries = Math.min(100, Math.floor(entries / 10));
  await retireNames(source);
  const untitled = (id: number) => id % 50 === 0;
  const quirks = { pageEntries, ceiling: pageEntries * 5, untitled, filesByName: true, doubledArchive: true };
  const service = await standBefore({ ...quirks, unlisted: (id) => id === 33 });
  const { report, code } = await runImport(service.url);
  expect(report.problems).toEqual([]);
  expect(report.reconciliation).toMatchObject({ differences: [], isEqual: true, hitCount: pageEntries * 5 });
  expect(code).toBe(0);
  await expectEqual((entry) => (untitled(entry.id) ? { ...entry, title: '' } : entry));
});

test('more entries of the same minutes than the source shows of a search are brought over whole', {
  timeout: timeout + ceiling * 100,
}, async () => {
  const wanted = Math.ceil(ceiling * 1.2);
  let created = 0;
  const client = async () => {
    while (created < wanted) await source.create({ title: `entry ${created++}` });
  };
  await Promise.all(Array.from({ length: 16 }, client));
  const service = await standBefore({ pageEntries: 100, ceiling });
  const { report, code } = await runImport(service.url);
  expect(report.reconciliation).toMatchObject({
    hitCount: ceiling,
    entriesAtSource: wanted,
    entriesHere: wanted,
    differences: [],
    isEqual: true,
  });
  expect([report.counts.created, report.problems, code]).toEqual([wanted, [], 0]);
  await expectEqual();
});

test('a service that reads times in a zone of its own is brought over whole', { timeout }, async () => {
  await fillCatalog(source);
  await fillEntries(source, 0, 120);
  const service = await standBefore({ pageEntries: 50, zoneOffsetHours: 9, plainFields: true });
  const { report } = await runImport(service.url);
  expect(report.reconciliation).toMatchObject({ entriesAtSource: 120, entriesHere: 120, isEqual: true });
});
