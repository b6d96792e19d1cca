import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { embedded, verify } from '../fixtures/backups.js';
import { stopComplete } from '../fixtures/ledger-records.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

let pvws: PvwsServer;
let archiver: ArchiverServer;
let root: string;
beforeEach(async () => {
  [pvws, archiver, root] = await Promise.all([PvwsServer.start(), ArchiverServer.start(), makeTempDir()]);
});
afterEach(async () => {
  await Promise.all([pvws.stop(), archiver.stop()]);
  await rm(root, { recursive: true, force: true });
});

test('values that replace missing ones match the ledger, also after a redaction of these versions', async () => {
  pvws.addNumber('SR:V1', 1);
  archiver.add('SR:V2', {}, { atMs: Date.now() - 60_000, val: '2' });
  const dataDir = join(root, 'data');
  const sources = { deviceNames: 'SR:*', pvwsUrl: pvws.url, archiverUrl: archiver.url };
  const start = () => TestService.start(sources, dataDir);
  let logbook = await start();
  const { id } = await logbook.create({ title: 'SR:V1 and SR:V2' });
  const values = async () => {
    const { properties } = (await logbook.get(`/logs/${id}`)).body;
    return properties.flatMap(({ attributes }: { attributes: { value: string }[] }) => attributes.map((a) => a.value));
  };
  await expect.poll(values).toEqual(['1', '2', expect.stringMatching(/, live; .*, archiver$/)]);
  await stopComplete(logbook);
  expect(await verify(embedded(dataDir))).toEqual([]);
  logbook = await start();
  const json = { reason: 'Not for all.', title: false, text: false, properties: true, attachments: [] };
  const answer = await logbook.call(`/logs/${id}/redaction`, { method: 'POST', json, as: 'admin:adminPass' });
  expect(answer.status, answer.text).toBe(200);
  await stopComplete(logbook);
  expect((await verify(embedded(dataDir))).filter((line) => line.startsWith('PROBLEM'))).toEqual([]);
});
