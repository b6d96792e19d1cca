import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { unzip } from '../fixtures/unzip.js';

const minuteMs = 60_000;
let dir: string;
beforeAll(async () => {
  dir = await makeTempDir();
});
afterAll(() => rm(dir, { recursive: true }));

/** Returns the stored picture of the only plot of an entry; empty while there is none. */
async function plotOf(service: TestService, id: number): Promise<string> {
  const [file] = (await service.get(`/logs/${id}`)).body.attachments as { readonly id: string }[];
  return file ? (await service.get(`/attachment/${file.id}`)).text : '';
}

test('without the archiver, an exported plot is the stored picture, on its page and after an import', async () => {
  const [source, target] = [join(dir, 'source'), join(dir, 'target')];
  const exportTo = async (name: string, format: string): Promise<string> => {
    const { code } = await runCommand(['export', join(dir, name), '--format', format, '--data-dir', source]);
    expect(code).toBe(0);
    return join(dir, name);
  };
  const archiver = await ArchiverServer.start();
  const startMs = Date.now() - 120 * minuteMs;
  const samples = Array.from({ length: 60 }, (_, at) => ({ atMs: startMs + at * minuteMs, val: String(400 + at) }));
  archiver.add('SR:DCCT{1}I', { EGU: 'mA' }, ...samples);
  const service = await TestService.start({ deviceNames: 'SR:*', archiverUrl: archiver.url }, source);
  const text = 'Tripped.\n\n```plot\nSR:DCCT{1}I\n-2h..-1h\n```\n';
  const { id } = await service.create({ title: 'Tripped', source: text });
  await expect.poll(() => plotOf(service, id)).toContain('<svg');
  const picture = await plotOf(service, id);
  await service.stop({ keepData: true });
  await archiver.stop();

  const exported = await unzip(await exportTo('pages.zip', 'html'));
  const page = [...exported].find(([name, content]) => name.endsWith('.html') && content.includes('<article '));
  const [, path = ''] = /<img src="(files\/[^"]+\.svg)"/.exec(String(page?.[1])) ?? [];
  expect(String(exported.get(decodeURI(path)))).toBe(picture);

  const { code } = await runCommand(['import', await exportTo('all.zip', 'ndjson'), '--data-dir', target]);
  expect(code).toBe(0);
  const imported = await TestService.start({ deviceNames: 'SR:*' }, target);
  expect(await plotOf(imported, id)).toBe(picture);
  await imported.stop({ keepData: true });
});
