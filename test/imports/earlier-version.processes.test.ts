import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildVersion, findEarlierVersion } from '../drill/earlier-version.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { call, entryForm, makeTempDir, TestService } from '../fixtures/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies and reports freely
type Body = any;

const commit = findEarlierVersion();
const entryCount = 60;
const content = Buffer.from([0, 255, 13, 10, 0x80]);

let dir: string;
let earlier: LogbookProcess | undefined;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(async () => {
  await earlier?.stop();
  await rm(dir, { recursive: true, force: true });
});

async function send(base: string, method: string, path: string, more: Parameters<typeof call>[1]): Promise<Body> {
  const answer = await call(`${base}${path}`, { method, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Writes entries with edits, replies, groups and files. */
async function fill(base: string): Promise<void> {
  const logbooks = [{ name: 'Größe' }];
  await send(base, 'PUT', '/logbooks/Gr%C3%B6%C3%9Fe', { json: { name: 'Größe' }, as: 'admin:adminPass' });
  const ids: number[] = [];
  for (let at = 0; at < entryCount; at++) {
    const entry = { title: `Entry ${at} – 日本`, source: `**${at}**  \nünï   `, logbooks };
    const reply = at % 9 === 4 ? `?inReplyTo=${ids[at - 3]}` : '';
    const attachments = [{ filename: 'a b ü.bin' }];
    const body = entryForm({ ...entry, attachments }, [{ name: 'a b ü.bin', content }]);
    const isWithFile = at % 10 === 3;
    const created = isWithFile
      ? await send(base, 'PUT', `/logs/multipart${reply}`, { body })
      : await send(base, 'PUT', `/logs${reply}`, { json: entry });
    ids.push(created.id);
    for (let edits = 0; edits < at % 3; edits++) {
      const json = {
        ...entry,
        id: created.id,
        title: `${entry.title}, edit ${edits}`,
        attachments: created.attachments,
      };
      await send(base, 'POST', `/logs/${created.id}`, { json });
    }
  }
  await send(base, 'POST', '/logs/group', { json: [ids[20], ids[21]] });
}

/** Reads everything that both show by the same interface: lists, entries, their versions and the bytes of their files. */
async function readAll(base: string): Promise<Body> {
  const get = async (path: string) => (await call(`${base}${path}`)).body;
  const { logs } = await get('/logs/search?sort=up&size=1000&includeevents=false');
  const entries = [];
  for (const entry of logs) {
    const files = [];
    for (const { id } of entry.attachments) {
      files.push(Buffer.from(await (await fetch(`${base}/attachment/${id}`)).arrayBuffer()).toString('hex'));
    }
    entries.push({ entry, files, archived: entry.modifyDate === null ? [] : await get(`/logs/archived/${entry.id}`) });
  }
  const lists = await Promise.all(
    ['/logbooks', '/tags', '/levels', '/properties?inactive=true', '/templates'].map(get),
  );
  return { entries, lists };
}

// A checkout without its history has no earlier version, in CI too.
describe.skipIf(commit === undefined)('a service of the earlier version (needs the history of the checkout)', () => {
  test('is brought over whole, and both are equal, by its interface too', async () => {
    const program = await buildVersion(commit ?? '', join(dir, 'program'));
    await mkdir(join(dir, 'source'));
    earlier = await LogbookProcess.start(join(dir, 'source'), { program, env: { LOGBOOK_TIME_ZONE: 'UTC' } });
    await fill(earlier.base);
    const report = join(dir, 'report.json');
    const options = ['--data-dir', join(dir, 'target'), '--requests-per-second', '100000', '--sample', 'all'];
    const result = await runCommand(['import', earlier.base, ...options, '--report', report]);
    expect(result).toMatchObject({ code: 0, output: expect.stringContaining('Both are equal') });
    expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({
      counts: { created: entryCount },
      problems: [],
      hidden: [],
      reconciliation: { differences: [], entriesAtSource: entryCount, entriesHere: entryCount },
    });
    const there = await readAll(earlier.base);
    expect(there.entries).toHaveLength(entryCount);
    const copy = await TestService.start({}, join(dir, 'target'));
    try {
      expect(await readAll(copy.base)).toEqual(there);
    } finally {
      await copy.stop({ keepData: true });
    }
  });
});
