import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OlogServer } from '../fixtures/olog-server.js';
import { hasOlogTool, runOlogTool } from '../fixtures/olog-tool.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
type Body = any;

const entryCount = 130;
const logbook = 'Schicht Übergabe';
const contents = new Map([
  ['a b ü.txt', Buffer.from('zeros and ones')],
  ['values.bin', Buffer.from([0, 255, 13, 10, 26, 0x80])],
  ['empty.txt', Buffer.alloc(0)],
]);
const files = [...contents].map(([name, content]) => ({ name, content }));
const titleOf = (at: number) => `Entry ${at}: ä <b> & “c”`;
const textOf = (at: number) => `**${at}** of *${entryCount}*\n\nünï 日本 🙂\tend`;

let dir: string;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const readJson = async (name: string): Promise<Body> => JSON.parse(await readFile(join(dir, name), 'utf8'));

/** Compares a backup with what a service answers, and its files with ours. */
async function expectBackup(logs: readonly Body[], bytesOf: (id: number, name: string) => Buffer | undefined) {
  const backup: Body[] = await readJson('logs.json');
  expect(backup.map(({ id }) => id).sort((one, other) => one - other)).toEqual(logs.map(({ id }) => id));
  for (const log of logs) {
    expect(backup.find(({ id }) => id === log.id)).toEqual(log);
    for (const { filename } of log.attachments ?? []) {
      const stored = await readFile(join(dir, 'attachments', String(log.id), filename));
      expect(stored.equals(bytesOf(log.id, filename) as Buffer), `${log.id} ${filename}`).toBe(true);
    }
  }
}

describe.skipIf(!hasOlogTool)('olog-tool (needs Python, and olog-tool 0.2.0 in the cache of tests)', () => {
  let service: TestService;
  const urlOf = ({ origin }: TestService) => `${origin}/Olog`;
  beforeAll(async () => {
    service = await TestService.start();
    await runOlogTool(urlOf(service), 'create-logbook', '--name', logbook);
    await runOlogTool(urlOf(service), 'create-property', '--name', 'magnet', '--attributes', '[{"name":"current"}]');
    await runOlogTool(urlOf(service), 'create-template', '--name', 'Shift', '--title', 'Shift', '--logbooks', logbook);
    const attachments = files.map(({ name }) => ({ filename: name }));
    const properties = [{ name: 'magnet', attributes: [{ name: 'current', value: '3 µA' }] }];
    for (let at = 0; at < entryCount; at++) {
      const entry = { title: titleOf(at), source: textOf(at), logbooks: [{ name: logbook }], level: 'Info' };
      if (at % 10 > 0) await service.create({ ...entry, properties });
      else expect((await service.sendForm('PUT', { ...entry, attachments }, files)).status).toBe(200);
    }
  });
  afterAll(() => service?.stop());

  const readAll = async (from: TestService) => {
    const { logs } = (await from.get('/logs/search?size=1000&sort=up')).body;
    return logs.sort((one: Body, other: Body) => one.id - other.id);
  };

  test('creates a logbook, a property and a template', async () => {
    const names = async (path: string) => (await service.get(path)).body.map(({ name }: Body) => name);
    expect(await names('/logbooks')).toContain(logbook);
    expect(await names('/properties')).toContain('magnet');
    expect(await names('/templates')).toEqual(['Shift']);
  });

  test('backs up every entry, text and byte, which it restores into another service', async () => {
    const logs = await readAll(service);
    expect(logs).toHaveLength(entryCount);
    const backedUp = await runOlogTool(urlOf(service), 'backup', '--output', dir);
    expect(backedUp).toContain(`Found ${entryCount} logs`);
    await expectBackup(logs, (_, name) => contents.get(name));
    await runOlogTool(urlOf(service), 'backup-metadata', '--output', dir);
    const range = ['--start', '2001-01-01T00:00:00', '--end', '2101-01-01T00:00:00'];
    expect(await runOlogTool(urlOf(service), ...range, 'backup', '--output', join(dir, 'range'))).toContain(
      `Found ${entryCount} logs`,
    );

    const other = await TestService.start();
    try {
      await runOlogTool(urlOf(other), 'restore-metadata', '--input', dir);
      await runOlogTool(urlOf(other), 'restore', '--input', dir);
      const restored = await readAll(other);
      // It gives entries new ids and times, and its own user as the owner; it adds files one by one, in any order.
      const fieldsOf = ({ title, source, description, level, logbooks, tags, properties, attachments }: Body) => {
        const sums = attachments.map(({ filename, checksum }: Body) => `${filename} ${checksum}`).sort();
        return { title, source, description, level, logbooks, tags, properties, sums };
      };
      const byTitle = (one: Body, two: Body) => (one.title < two.title ? -1 : 1);
      expect(restored.map(fieldsOf).sort(byTitle)).toEqual(logs.map(fieldsOf).sort(byTitle));
      for (const path of ['/logbooks', '/tags', '/levels', '/properties?inactive=true']) {
        expect((await other.get(path)).body, path).toEqual((await service.get(path)).body);
      }
    } finally {
      await other.stop();
    }
  });

  test('writes reports with every entry', async () => {
    for (const format of ['markdown', 'html']) {
      await runOlogTool(urlOf(service), format, '--output', join(dir, format));
      const report = await readFile(join(dir, format), 'utf8');
      for (let at = 0; at < entryCount; at++) expect(report).toMatch(new RegExp(`Entry ${at}: `));
    }
  });

  test('reads the imitation of an old server in the same way', async () => {
    const olog = await OlogServer.start();
    try {
      for (let at = 0; at < 40; at++) olog.create({ title: titleOf(at), source: textOf(at) });
      for (const [name, content] of [
        ['same.txt', 'first'],
        ['a b ü.txt', 'zeros'],
      ] as const) {
        olog.attach(0, { id: `f-${name}`, filename: name, content });
      }
      await runOlogTool(olog.url, 'backup', '--output', dir);
      await expectBackup([...olog.entries.values()], (_, name) => olog.files.get(`f-${name}`));
    } finally {
      await olog.stop();
    }
  });
});
