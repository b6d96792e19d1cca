import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importEntries } from '../../src/app/import-entries.js';
import { loadConfig } from '../../src/config/load-config.js';
import { ServiceImportSource } from '../../src/integrations/logbook-service/service-import-source.js';
import { makeCertificate } from '../directories/certificates.js';
import { expectVerified } from '../fixtures/ledger-records.js';
import { OlogServer } from '../fixtures/olog-server.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { TlsProxy } from '../fixtures/tls-proxy.js';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies and reports freely
type Body = any;

let olog: OlogServer;
let dir: string;
beforeEach(async () => {
  olog = await OlogServer.start();
  dir = await makeTempDir();
});
afterEach(async () => {
  await olog.stop();
  await rm(dir, { recursive: true, force: true });
});

const target = () => join(dir, 'data');

function startImport(...more: string[]): LogbookProcess {
  const fast = ['--requests-per-second', '100000', '--report', join(dir, 'report.json')];
  return LogbookProcess.spawn(target(), { args: ['import', olog.url, ...fast, ...more] });
}

async function runImport(...more: string[]) {
  const process = startImport(...more);
  const code = await process.exit();
  if (code === 1) throw new Error(process.errors);
  const report: Body = JSON.parse(await readFile(join(dir, 'report.json'), 'utf8'));
  return { code, report, output: process.output };
}

/** Imports and compares everything in this process. */
async function importHere(compared: 'all' | 'nothing' = 'all') {
  const sampleSize = compared === 'all' ? Number.POSITIVE_INFINITY : undefined;
  const { options } = loadConfig({ flags: { dataDir: target() }, properties: {}, configFile: undefined }, {});
  const url = new URL(olog.url);
  const address = { url, headers: {}, caCertificates: undefined, requestsPerSecond: 100_000, timeoutMs: 600_000 };
  const request = {
    origin: { kind: 'service', address } as const,
    maxFileBytes: 1_000_000,
    controlSystem: { deviceNames: [], deviceNamesFromDirectory: false, channelFinder: undefined },
    sampleSize,
  };
  const progress = { onImport: () => undefined, onIndex: () => undefined, onReconcile: () => undefined };
  const log = pino({ level: 'silent' });
  const result = await importEntries(options.storage, request, {
    progress,
    log,
    signal: new AbortController().signal,
  });
  const { report, reconciliation } = result;
  return { report, isEqual: reconciliation?.isEqual, differences: reconciliation?.differences ?? [] };
}

/** Fills the server with what recordings of one have: edits, groups, odd names and values, gaps. */
function fill(count = 60): void {
  olog.logbooks = [...olog.logbooks, { name: 'Störungen', owner: 'admin', state: 'Active' }];
  olog.levels?.push({ name: 'Ünïcode level', defaultLevel: false });
  olog.properties = [
    { name: 'resource', owner: 'admin', state: 'Active', attributes: [{ name: 'file', value: null, state: 'Active' }] },
    {
      name: 'old-property',
      owner: 'admin',
      state: 'Inactive',
      attributes: [{ name: 'z', value: null, state: 'Active' }],
    },
  ];
  const template = { owner: 'admin', source: 'x', level: 'Info', createdDate: 1_795_645_671_734, modifyDate: null };
  const lists = { logbooks: [], tags: [], properties: [] };
  olog.templates = [{ ...template, ...lists, name: 'bare', id: '5srSFKIBkYopyn6GiYBH', title: null }];
  for (let at = 0; at < count; at++) {
    if (at % 20 === 6) olog.burn();
    olog.create(oddFields(at));
  }
  olog.attach(3, { id: 'f-3-a', filename: 'tab\tname.txt', content: 'tabs' });
  const twice = { filename: 'same.txt' };
  olog.attach(9, { id: 'f-9-a', ...twice, content: 'first' }, { id: 'not-a-uuid-9', ...twice, content: 'second' });
  olog.attach(12, { id: 'f-12', filename: 'hash#1 %?.txt', content: 'marks' });
  olog.edit(12, { attachments: [] });
  olog.group('5f6b84a3-e7cd-45fb-a23e-abf74248641d', 0, 4, 5);
  for (const id of [0, 4, 7]) olog.edit(id);
  for (let at = 0; at < 3; at++) olog.edit(7, { source: `version ${at}`, description: `version ${at}` });
}

function oddFields(at: number): Record<string, unknown> {
  const odd: Record<number, Record<string, unknown>> = {
    2: { title: null, level: null, owner: null, tags: null, properties: null, attachments: null },
    8: { createdDate: null },
    11: { source: 'null\0byte', description: 'null\ufffdbyte' },
    14: { title: '   leading and trailing   ', source: '   both   \n' },
    17: { logbooks: [{ name: 'gone', owner: null, state: 'Active' }], tags: [{ name: 'gone', state: 'Active' }] },
    21: { events: [{ name: 'before', instant: -86_400_000_000 }] },
    22: { createdDate: -86_400_000 },
    24: {
      logbooks: ['a/b slash', 'comma, book', 'quoted "book"'].map((name) => ({ name, owner: null, state: 'Active' })),
      tags: ['a,b', 'x|y', 'UPPER', 'under_score'].map((name) => ({ name, state: 'Active' })),
    },
    26: { views: 7, pinned: null, reactions: [{ emoji: '👍', by: ['a', 'b'] }], thread: { of: { what: 1 } } },
    23: {
      properties: [{ name: 'resource', owner: 'admin', state: 'Active', attributes: { file: 'f0.dat', name: 'dev' } }],
    },
  };
  return odd[at] ?? {};
}

/** Reads what the server shows of the earlier versions of an entry, newest first. */
async function readVersions(id: number): Promise<Body[]> {
  const { logs } = (await (await fetch(`${olog.url}/logs/archived/${id}`)).json()) as Body;
  return logs.filter((log: Body) => log.id === id);
}

const asList = (value: Body): Body[] => value ?? [];
/** Returns the entry or version that is expected here. */
function expected(log: Body): object {
  const withOwner = (named: Body) => ({ ...named, owner: named.owner ?? '' });
  const pairs = (attributes: Body) =>
    Array.isArray(attributes)
      ? attributes
      : Object.entries(attributes).map(([name, value]) => ({ name, value, state: 'Active' }));
  return {
    owner: log.owner ?? '',
    title: log.title ?? '',
    level: log.level ?? '',
    source: log.source.replace('\0', '\ufffd'),
    description: log.description,
    createdDate: log.createdDate ?? log.modifyDate ?? 0,
    modifyDate: log.modifyDate,
    events: asList(log.events),
    logbooks: log.logbooks.map(withOwner),
    tags: asList(log.tags),
    properties: asList(log.properties).map((one) => withOwner({ ...one, attributes: pairs(one.attributes) })),
  };
}

const names = (log: Body) => asList(log.attachments).map(({ filename }) => filename.replace('\t', '_'));

/** Compares the server with a service on the data directory by their interfaces, independently of the import. */
async function expectCopied(): Promise<void> {
  const copy = await TestService.start({}, target());
  try {
    for (const [id, log] of olog.entries) {
      const { body } = await copy.get(`/logs/${id}`);
      expect(body, `entry ${id}`).toMatchObject({ ...expected(log), id });
      const { hitCount, logs } = (await copy.get(`/logs/archived/${id}`)).body;
      const versions = await readVersions(id);
      expect(hitCount, `versions of ${id}`).toBe(versions.length);
      const created = { createdDate: body.createdDate };
      expect(logs).toMatchObject(versions.map((version) => ({ ...expected(version), ...created })));
      for (const [at, version] of [log, ...versions].entries()) {
        const { attachments } = [body, ...logs][at];
        expect(attachments.map(({ filename }: Body) => filename)).toEqual(names(version));
        for (const [place, { id: fileId }] of asList(version.attachments).entries()) {
          const content = olog.files.get(fileId) as Buffer;
          expect(attachments[place].checksum).toBe(createHash('sha256').update(content).digest('hex'));
          const stored = await fetch(`${copy.base}/attachment/${attachments[place].id}`);
          expect(Buffer.from(await stored.arrayBuffer()).equals(content)).toBe(true);
        }
      }
    }
    const { body } = await copy.get('/logs/search?size=1');
    expect(body.hitCount).toBe(olog.entries.size);
    const next = await copy.create();
    expect(next.id).toBeGreaterThan(Math.max(...olog.entries.keys()));
  } finally {
    await copy.stop({ keepData: true });
  }
}

describe('an old server', () => {
  test('is brought over whole, with entry 0 and its versions, and followed; gaps in the ids are no problem', async () => {
    fill();
    const { code, report, output } = await runImport('--sample', 'all');
    expect([report.problems, report.hidden]).toEqual([[], []]);
    expect(report.reconciliation).toMatchObject({ differences: [], entriesAtSource: 60, entriesHere: 60, sampled: 60 });
    expect([code, output]).toEqual([0, expect.stringContaining('Both are equal')]);
    for (let at = 0; at < 15; at++) olog.create();
    olog.burn(3);
    for (const id of [0, 7, 20]) olog.edit(id, { title: `edited later #${id}` });
    olog.group('11111111-2222-4333-8444-555555555555', 30, 31);
    const followed = await importHere();
    expect(followed.report.counts).toMatchObject({ created: 15, updated: 5 });
    expect(followed).toMatchObject({ isEqual: true, report: { problems: [] } });
    await expectCopied();
    await expectVerified(target());
  });

  test('is brought over whole by a proxy that compresses what it sends; another coding is named', async () => {
    fill(30);
    let coding = 'gzip';
    olog.interference = (_path, _request, response) => {
      const end = response.end.bind(response) as (body?: Buffer) => typeof response;
      response.setHeader('content-encoding', coding);
      response.end = ((body: string | Buffer = '') => end(gzipSync(body))) as typeof response.end;
      return false;
    };
    const { report, differences } = await importHere();
    expect([report.problems, differences]).toEqual([[], []]);
    coding = 'zstd';
    await expect(importHere()).rejects.toMatchObject({ message: expect.stringContaining('as “zstd”') });
    olog.interference = () => false;
    await expectCopied();
  });

  test('is brought over whole after a kill, and the report has what the killed run adapted', async () => {
    fill(160);
    const killed = startImport();
    olog.interference = (path) => {
      if (path.includes('from=100')) killed.signal('SIGKILL');
      return false;
    };
    expect(await killed.exit()).toBeNull();
    olog.interference = () => false;
    const { report, ...result } = await importHere();
    expect(report.counts.created).toBeLessThan(160);
    const text = 'The title was missing; it is empty now.';
    expect(report.remarks).toContainEqual({ kind: 'entry', key: '2', text });
    expect(report.remarks).toContainEqual(expect.objectContaining({ kind: 'logbooks', key: 'gone' }));
    expect([report.problems, result.differences]).toEqual([[], []]);
    await expectCopied();
  });

  test('that lists versions of other entries: none is stored with the wrong entry, and hidden ones are named', async () => {
    for (let at = 0; at < 30; at++) olog.create();
    for (const id of [2, 2]) olog.edit(id);
    for (let id = 20; id < 29; id++) for (const _ of [1, 2]) olog.edit(id);
    const { report, differences } = await importHere();
    const text = 'The source does not show version 1 of 2 earlier versions of entry 2.';
    expect(report.hidden).toEqual([{ kind: 'entry', key: '2', text }]);
    expect([report.problems, differences]).toEqual([[], []]);
    await expectCopied();
  });
});

test('the comparison notices versions of other entries, which an import has stored', async () => {
  for (let at = 0; at < 30; at++) olog.create();
  for (const id of [2, 22]) olog.edit(id);
  // The import takes all listed versions for those of the requested entry.
  interfere(
    (path) => path === '/logs/archived/2',
    (response) => {
      const logs = olog.archive.map((version) => ({ ...version, id: 2 }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ hitCount: 2, logs }));
    },
  );
  await importHere('nothing');
  olog.interference = () => false;
  const { differences } = await importHere();
  expect(differences).toEqual([
    { key: '2', field: 'earlier version', source: 'missing', here: expect.stringContaining('title #22') },
  ]);
});

describe('odd answers', () => {
  const at = (ms: number) => Date.UTC(2024, 4, 1, 12, 0, 0) + ms;
  const dates: readonly unknown[] = [
    at(0),
    at(0) / 1_000,
    at(0) * 1_000,
    at(0) * 1_000_000,
    String(at(0)),
    String(at(0) / 1_000),
    at(0) / 1_000 + 0.5,
    [2024, 5, 1, 12, 0],
    [2024, 5, 1, 12, 0, 0, 500_000_000],
    { epochSecond: at(0) / 1_000, nano: 500_000_000 },
    '2024-05-01T12:00:00.000+0000',
    '2024-05-01T12:00',
    '2024-05-01 12:00:00.500000000',
    'May 1, 2024 12:00:00 PM',
    'Wed, 01 May 2024 14:00:00 +0200',
    'Wed May 01 12:00:00 UTC 2024',
    0,
    -5,
  ];

  test('in values and lists are read as they are meant, and the comparison agrees', async () => {
    for (const [id, createdDate] of dates.entries()) olog.create({ id: `00${id}`, createdDate });
    const odd = olog.create({
      title: 7,
      level: 5,
      events: { start: at(0) / 1_000, end: { instant: at(0) } },
      tags: { alarm: { state: 'Active' }, Alarm: null, ALARM: { name: 'ALARM', state: 'INACTIVE' } },
      logbooks: 'operations',
      properties: { scan: { attributes: { a: { value: 'b' }, c: ['d', { e: null }], f: null, g: true } } },
      attachments: {
        'map.txt': { id: 'f-map', size: '3' },
        'no id.txt': null,
        'twice.txt': { id: 4_711 },
        'other.txt': { id: 4_711, filename: null, name: 'twice.txt' },
        empty: { id: 'f-empty', filename: '', size: 0 },
      },
    });
    const files = { 'f-map': 'map', '4711': 'twice', 'f-empty': '' };
    for (const [id, content] of Object.entries(files)) olog.files.set(id, Buffer.from(content));
    olog.edit(odd.id, { title: 8 });
    olog.interference = (path, _request, response) => {
      if (path.endsWith('f-empty')) return Boolean(response.writeHead(204).end());
      if (path.includes('no%20id')) return Boolean(response.end('without'));
      if (!/^\/logs\/(search|archived)/.test(path)) return false;
      const found = path.startsWith('/logs/search')
        ? olog.search(new URL(path, 'http://olog.example').searchParams)
        : { hitCount: 1, logs: olog.archive };
      if (typeof found === 'string') return false;
      const body = {
        hitCount: String(found.hitCount),
        logs: [null, ...found.logs.map((log) => ({ ...log, id: `0${log.id}` }))],
      };
      return Boolean(response.setHeader('content-type', 'application/json').end(JSON.stringify(body)));
    };
    const { report, differences } = await importHere();
    expect([report.problems, differences]).toEqual([[], []]);
    const copy = await TestService.start({}, target());
    for (const [id, date] of dates.entries()) {
      const { body } = await copy.get(`/logs/${id}`);
      const half = /[.]5|500/.test(JSON.stringify(date)) ? 500 : 0;
      expect([date, body.createdDate]).toEqual([date, typeof date === 'number' && date <= 0 ? date : at(half)]);
    }
    const { body } = await copy.get(`/logs/${odd.id}`);
    expect(body).toMatchObject({ title: '8', level: '5', logbooks: [{ name: 'operations' }] });
    expect(body.events).toEqual(['start', 'end'].map((name) => ({ name, instant: at(0) })));
    expect(body.tags.map(({ name }: Body) => name)).toEqual(['alarm', 'Alarm', 'ALARM']);
    expect(body.properties[0].attributes.map(({ value }: Body) => value)).toEqual([
      'b',
      '["d",{"e":null}]',
      null,
      'true',
    ]);
    expect(body.attachments.map(({ filename, size }: Body) => [filename, size])).toEqual([
      ['map.txt', 3],
      ['no id.txt', 7],
      ['twice.txt', 5],
      ['f-empty', 0],
    ]);
    expect((await copy.get(`/logs/archived/${odd.id}`)).body.hitCount).toBe(1);
    await copy.stop({ keepData: true });
  });

  test('in names are kept: those that differ in case only, and those with signs of addresses and searches', async () => {
    const names = [
      'operations',
      'Operations',
      'OPERATIONS',
      'a/b?c#d%20&e',
      '*',
      '"q", ∮ 測定 😀',
      '-not',
      'Straße',
      'STRASSE',
    ];
    const active = names.map((name) => ({ name, owner: '', state: 'Active' }));
    olog.logbooks = active;
    olog.tags = active.map(({ name, state }) => ({ name, state }));
    olog.levels = names.map((name) => ({ name, defaultLevel: name === 'Operations' }));
    olog.properties = active.map((one) => ({
      ...one,
      attributes: names.map((name) => ({ name, value: null, state: 'Active' })),
    }));
    for (const level of names) {
      const properties = [
        { ...active[1], attributes: names.map((name) => ({ name, value: `v ${name}`, state: 'Active' })) },
      ];
      olog.create({ level, logbooks: active, tags: olog.tags, properties });
    }
    const { report, differences } = await importHere();
    expect([report.problems, differences]).toEqual([[], []]);
    await expectCopied();
  });

  test('an entry that is edited while it is imported has each version once, after the next run', async () => {
    for (let id = 0; id < 5; id++) olog.create();
    olog.edit(3, { title: 'second' });
    let isEdited = false;
    olog.interference = (path) => {
      if (path === '/logs/archived/3' && !isEdited) olog.edit(3, { title: 'third' });
      isEdited ||= path === '/logs/archived/3';
      return false;
    };
    expect((await importHere()).differences).not.toEqual([]);
    expect(await importHere()).toMatchObject({ isEqual: true, report: { problems: [] } });
    await expectCopied();
  });

  test('a file that is never as its description says is named after two attempts', async () => {
    const { id } = olog.create();
    olog.attach(id, { id: 'f', filename: 'f.txt', content: 'abc' });
    const [file] = olog.get(id).attachments as object[];
    olog.entries.set(id, { ...olog.get(id), attachments: [{ ...file, size: 4 }] });
    const { report } = await importHere('nothing');
    expect(report.problems.map(({ text }) => text)).toEqual(['The file “f.txt” has 3 bytes, but the source says 4.']);
    expect(olog.requests.filter((path) => path === '/attachment/f')).toHaveLength(2);
  });

  test('two levels marked as the default: the last one becomes the default, also in a later run', async () => {
    olog.levels = ['Info', 'Y', 'Z'].map((name) => ({ name, defaultLevel: name !== 'Info' }));
    olog.create();
    for (let run = 0; run < 2; run++) {
      const { report, differences } = await importHere();
      expect([report.problems, differences.map(({ key, field }) => `${field} ${key}`)]).toEqual([[], ['levels Y']]);
    }
  });

  test('two entries with one id: one is brought, and the other is named', async () => {
    const first = olog.create();
    olog.entries.set(9, { ...first, title: 'another one' });
    const { report, isEqual } = await importHere();
    expect(report.problems.map(({ text }) => text)).toEqual([
      'The source lists entry 0 twice, with different contents; the first was read.',
    ]);
    expect(isEqual).toBe(false);
  });

  test('an id that is invalid, or too high to be kept, is named', async () => {
    for (const id of ['7_v1', -3, null, 3_000_000_000, 1.5]) olog.create({ id });
    const { report, isEqual } = await importHere();
    expect(report.problems.map(({ text }) => text).sort()).toEqual([
      ...['-3', '1.5', '7_v1', 'null'].map((id) => `An entry has no number as its id, but “${id}”; it was left out.`),
      expect.stringMatching(/^The id 3000000000 cannot be kept/),
    ]);
    expect(isEqual).toBe(false);
  });

  test('a service that limits requests, and says no more than that, is asked more slowly', async () => {
    for (let id = 0; id < 30; id++) olog.create();
    for (let id = 0; id < 30; id++) olog.edit(id);
    let freeMs = 0;
    olog.interference = (_path, _request, response) => {
      if (performance.now() < freeMs) return Boolean(response.writeHead(429).end());
      freeMs = performance.now() + 10;
      return false;
    };
    expect(await importHere('nothing')).toMatchObject({ report: { problems: [], counts: { created: 30 } } });
  });

  test.each([
    ['Latin-1, which the media type says', 'latin1', ';charset=ISO-8859-1'],
    ['Latin-1, which nothing says', 'latin1', ''],
    ['UTF-8 after a byte order mark', 'utf8', ''],
  ] as const)('a text in %s has its letters', async (_case, encoding, charset) => {
    olog.create({ title: 'Größe “x”'.replaceAll(/[“”]/g, '"'), source: 'Müller: 5 µA ± 1 °C', description: 'é' });
    olog.interference = (_path, _request, response) => {
      const [end, writeHead] = [response.end.bind(response), response.writeHead.bind(response)];
      const mark = Buffer.from(encoding === 'utf8' ? '\ufeff' : '');
      response.writeHead = ((status: number) =>
        writeHead(status, { 'content-type': `application/json${charset}` })) as typeof writeHead;
      response.end = ((body = '') => end(Buffer.concat([mark, Buffer.from(body, encoding)]))) as typeof end;
      return false;
    };
    const { report, differences } = await importHere();
    expect([report.problems, differences]).toEqual([[], []]);
    olog.interference = () => false;
    await expectCopied();
  });

  test('an import from an address that does not speak TLS, or has an untrusted certificate, says so immediately', async () => {
    const { port } = new URL(olog.url);
    const run = (address: string) => runCommand(['import', address, '--data-dir', target()]);
    const plain = await run(`https://127.0.0.1:${port}/Olog`);
    expect([plain.code, plain.errors]).toEqual([1, expect.stringMatching(/does not use TLS .*http:\/\//)]);
    const authority = await makeCertificate(dir, 'localhost', '127.0.0.1');
    const proxy = await TlsProxy.start(Number(port), authority);
    const { code, errors } = await run(`https://127.0.0.1:${proxy.port}/Olog`);
    await proxy.stop();
    expect([code, errors]).toEqual([1, expect.stringMatching(/certificate is not trusted .*--source-ca-file/)]);
  });
});

describe('data that a server does not return', () => {
  test('earlier versions, after a passing error that looks like a missing item, come with the same run', async () => {
    fill(30);
    let failures = 2;
    olog.fails = (path) => path === '/logs/archived/7' && failures-- > 0;
    const { report, isEqual } = await importHere();
    expect([report.problems, report.hidden, isEqual]).toEqual([[], [], true]);
    expect(olog.requests.filter((path) => path === '/logs/archived/7')).toHaveLength(4);
    await expectCopied();
  });

  test('earlier versions, when the error stays, are a problem, and the next run brings them', async () => {
    fill(30);
    olog.fails = (path) => path === '/logs/archived/7';
    const { report } = await importHere();
    expect(report.problems).toEqual([
      { kind: 'entry', key: '7', text: expect.stringMatching(/^The earlier versions .*status 401/) },
    ]);
    expect(report.hidden).toEqual([]);
    olog.fails = () => false;
    expect(await importHere()).toMatchObject({ isEqual: true, report: { problems: [] } });
  });

  test('earlier versions, while all requests for them fail: a later run asks again', async () => {
    fill(30);
    olog.fails = (path) => path.startsWith('/logs/archived/');
    expect((await importHere('nothing')).report.hidden).toHaveLength(4);
    olog.fails = () => false;
    expect(await importHere()).toMatchObject({ isEqual: true, report: { problems: [], hidden: [] } });
  });

  test('a list, while it fails, is a problem, and no item becomes inactive', async () => {
    fill(30);
    await importHere('nothing');
    olog.fails = (path) => path === '/tags';
    expect((await importHere('nothing')).report.problems).toEqual([
      { kind: 'tags', key: '', text: expect.stringMatching(/^A list was not imported.*status 401/) },
    ]);
    olog.fails = () => false;
    expect(await importHere()).toMatchObject({ isEqual: true, report: { problems: [] } });
  });

  test('earlier versions that the comparison finds missing here come with the next run', async () => {
    fill(30);
    interfere(
      (path) => path === '/logs/archived/7',
      (response) => response.setHeader('content-type', 'application/json').end('{"hitCount":0,"logs":[]}'),
    );
    await importHere('nothing');
    olog.interference = () => false;
    const { differences } = await importHere();
    expect(differences.map(({ key, here }) => [key, here])).toEqual(Array(4).fill(['7', 'missing']));
    expect(await importHere()).toMatchObject({ isEqual: true, report: { problems: [] } });
  });

  test('is named and a difference, the rest comes, and the next run brings it', async () => {
    fill(30);
    const faults: [RegExp, (response: Response) => unknown][] = [
      [/f-3-a|3\/tab/, redirect],
      [/f-12/, broken],
      [/f-9-a/, refused],
      [/archived\/7$/, webPage],
      [/^\/tags$/, webPage],
    ];
    olog.interference = (path, _request, response) => {
      const [, how] = faults.find(([on]) => on.test(path)) ?? [];
      how?.(response);
      return how !== undefined;
    };
    const { report, differences } = await importHere();
    expect(report.problems.map(({ kind, key, text }) => `${kind} ${key} ${text}`).sort()).toEqual([
      expect.stringMatching(/^entry 12 .*status 500/),
      expect.stringMatching(/^entry 3 .*redirects .*login.example/),
      expect.stringMatching(/^entry 7 .*earlier versions .*did not respond with JSON/),
      expect.stringMatching(/^entry 9 .*does not have the file “same.txt”/),
      expect.stringMatching(/^tags {2}A list was not imported.*did not respond with JSON/),
    ]);
    const found = differences.map(({ key, field }) => `${key} ${field}`).sort();
    expect(found).toEqual(['12 earlier version 1: attachments', '3 attachments', '9 attachments', 'all tags']);
    expect(report.counts).toMatchObject({ created: 30, refused: 0 });
    olog.interference = () => false;
    const again = await importHere();
    expect([again.report.problems, again.differences]).toEqual([[], []]);
  });

  test('an entry that breaks every page: it is named, and the rest comes', async () => {
    fill(150);
    interfere(shows(120), broken);
    const { report } = await importHere('nothing');
    expect(report.counts.created).toBe(149);
    expect(report.problems.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Entry \d+ of the list .* cannot be read/),
      expect.stringMatching(/^The entry cannot be read.*status 500/),
    ]);
    olog.interference = () => false;
    expect((await importHere()).isEqual).toBe(true);
  });
});

describe('a server', () => {
  const open = (requestsPerSecond = 100_000) =>
    new ServiceImportSource({
      url: new URL(olog.url),
      headers: {},
      caCertificates: undefined,
      requestsPerSecond,
      timeoutMs: 600_000,
    });
  const { signal } = new AbortController();
  async function walk(source = open()): Promise<number[]> {
    const ids: number[] = [];
    for await (const { entries, remarks } of source.walk(undefined, signal)) {
      expect(remarks).toEqual([]);
      ids.push(...entries.map(({ id }) => id as number));
    }
    await source.close();
    return ids;
  }
  async function reread(): Promise<number[]> {
    const source = open();
    const ids: number[] = [];
    for await (const { entries } of source.rereading.walk(undefined, signal))
      ids.push(...entries.map(({ key }) => Number(key)));
    await source.close();
    return ids.sort((one, other) => one - other);
  }

  test('that shows 10,000 entries of a search is walked whole, with 250 of one millisecond', async () => {
    for (let at = 0; at < 10_300; at++) olog.create();
    const { createdDate } = olog.get(9_900);
    for (let id = 9_900; id < 10_150; id++) olog.entries.set(id, { ...olog.get(id), createdDate });
    const all = [...olog.entries.keys()];
    expect(await walk()).toEqual(all);
    expect(olog.requests.length).toBeLessThan(130);
    expect(await reread()).toEqual(all);
  });

  test.each<[string, (parameters: URLSearchParams) => void]>([
    [
      'knows only pages',
      (parameters) =>
        parameters.set('from', String((Number(parameters.get('page')) - 1) * Number(parameters.get('size')))),
    ],
    ['sends fewer entries than it is asked for', (parameters) => parameters.set('size', '30')],
    ['knows neither pages nor places', (parameters) => parameters.delete('from')],
    ['sorts the newest first, always', (parameters) => parameters.set('sort', 'down')],
    ['counts no entries', () => undefined],
  ])('that %s is walked whole', async (name, change) => {
    for (let at = 0; at < 250; at++) olog.create();
    interfereWithSearches((parameters) => change(parameters), name === 'counts no entries');
    expect((await walk()).sort((one, other) => one - other)).toEqual([...olog.entries.keys()]);
  });

  test('without levels and templates has none, which is no problem', async () => {
    olog.levels = undefined;
    olog.templates = undefined;
    const source = open();
    expect((await source.readCatalog(signal)).levels).toMatchObject({ isProblem: false });
    expect(await source.listTemplates(signal)).toMatchObject({ isProblem: false });
    await source.close();
  });

  test('is asked for several missing ids at the same time', async () => {
    const waiting: Response[] = [];
    olog.interference = (path, _request, response) => {
      if (!/^\/logs\/[1-9]$/.test(path)) return false;
      waiting.push(response);
      // Waiting requests are answered once there are four.
      if (waiting.length === 4) for (const one of waiting) refused(one);
      return waiting.length <= 4;
    };
    const source = open();
    expect(await Promise.all([1, 2, 3, 4].map((id) => source.find(id, signal)))).toEqual(Array(4).fill(undefined));
    await source.close();
  });

  test('that limits requests is asked again when it says', async () => {
    let left = 2;
    interfere(
      () => left-- > 0,
      (response) => response.writeHead(429, { 'retry-after': '0.05' }).end(),
    );
    olog.create();
    expect(await walk()).toEqual([0]);
  });
});

type Response = Parameters<OlogServer['interference']>[2];

function interfere(on: (path: string) => boolean, how: (response: Response) => unknown): void {
  olog.interference = (path, _request, response) => {
    if (!on(path)) return false;
    how(response);
    return true;
  };
}

const redirect = (response: Response) => response.writeHead(302, { location: 'https://login.example/' }).end();
const broken = (response: Response) => response.writeHead(500).end();
const refused = (response: Response) => response.writeHead(401).end();
const webPage = (response: Response) => response.setHeader('content-type', 'text/html').end('<html>maintenance');

/** Answers searches as if they had other parameters. */
function interfereWithSearches(change: (parameters: URLSearchParams) => void, withoutCount = false): void {
  olog.interference = (path, _request, response) => {
    if (!path.startsWith('/logs/search')) return false;
    const { searchParams } = new URL(path, 'http://olog.example');
    change(searchParams);
    const found = olog.search(searchParams) as { hitCount?: number };
    if (withoutCount) delete found.hitCount;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
    return true;
  };
}

/** Whether a page of the list, or a request of its own, shows the entry at this place. */
const shows = (place: number) => (path: string) => {
  const id = [...olog.entries.keys()][place];
  if (path === `/logs/${id}`) return true;
  if (!path.startsWith('/logs/search')) return false;
  const found = olog.search(new URL(path, 'http://olog.example').searchParams);
  return typeof found !== 'string' && found.logs.some((entry) => entry.id === id);
};
