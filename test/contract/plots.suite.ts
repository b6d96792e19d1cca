import { rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { readPlotFile } from '../../packages/control-system/read-plot-file.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import type { Entry } from '../../src/entries/entry.js';
import { GrowingRuns } from '../../src/entries/growing-runs.js';
import { plotsJob } from '../../src/entries/plots-job.js';
import { redactEntry } from '../../src/entries/redact-entry.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { collect } from '../fixtures/collect.js';
import { entryDraft } from '../fixtures/entries.js';
import { runJob } from '../fixtures/run-job.js';
import { makeTempDir } from '../fixtures/service.js';
import { principal } from '../fixtures/sessions.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const createdDate = 1_764_104_400_000;
const minuteMs = 60_000;
const plot = (...lines: string[]) => `Tripped.\n\n\`\`\`plot\n${lines.join('\n')}\n\`\`\`\n`;

/** Requirements of every storage for plots in entries, whose samples a job adds. */
export function plotsSuite({ open }: StorageEngine): void {
  let opened: OpenStorage;
  let archiver: ArchiverServer;
  let history: ArchiverAppliance;
  let blobs: Awaited<ReturnType<typeof openFileBlobStore>>;
  let dir: string;
  let nowMs = createdDate;
  /** The memory of a process. */
  let job: ReturnType<typeof plotsJob>;
  const startProcess = () => {
    const deps = { storage: opened.storage, blobs, clock: { nowMs: () => nowMs } };
    job = plotsJob({ ...deps, deviceNames: new DeviceNames(['SR:*']) }, history);
  };
  beforeEach(async () => {
    nowMs = createdDate;
    [opened, archiver] = await Promise.all([open(), ArchiverServer.start()]);
    dir = await makeTempDir();
    blobs = await openFileBlobStore({ dir });
    history = new ArchiverAppliance({
      url: archiver.url,
      caCertificates: undefined,
      timeoutMs: 1_000,
      toleratedFailures: 1_000,
    });
    archiver.add('SR:I', { EGU: 'mA' }, ...samples(createdDate - 30 * minuteMs, 40));
    startProcess();
    await run();
  });
  afterEach(async () => {
    history.close();
    await rm(dir, { recursive: true, force: true });
    await Promise.all([opened.destroy(), archiver.stop()]);
  });

  const samples = (fromMs: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ atMs: fromMs + at * minuteMs, val: String(400 + at) }));
  const run = () => runJob(job);
  const create = (source: string, events: Entry['events'] = []) =>
    opened.storage.write(async (tx) => {
      const stored = await tx.entries.insert(entryDraft({ createdDate, source, events }));
      const change = { entryId: stored.id, revision: stored.revision, notify: false, atMs: createdDate } as const;
      await tx.feed.append({ kind: 'created', ...change });
      return stored.id;
    });
  const find = async (id: number) => (await opened.storage.committed.entries.find(id))?.entry;
  const plotsOf = async (id: number) => {
    const files = (await find(id))?.attachments ?? [];
    return Promise.all(
      files.map(async (file) => ({
        ...file,
        plot: readPlotFile((await buffer(await blobs.open(file, undefined))).toString()),
      })),
    );
  };
  const kinds = async () => (await opened.storage.committed.feed.listAfter(0, 100)).map(({ kind }) => kind);

  test('samples are added once after the end of the range, as a picture, in a change that is not an edit', async () => {
    const id = await create(plot('SR:I', 'SR:NEVER', '-1m..+2m'));
    await create('No plot.');
    nowMs += 2.5 * minuteMs;
    await run();
    // The archiver may not have the last samples yet.
    expect(await plotsOf(id)).toEqual([]);
    nowMs += minuteMs;
    await run();
    await run();
    const [file, ...others] = await plotsOf(id);
    expect(others).toEqual([]);
    expect(file).toMatchObject({
      filename: expect.stringMatching(/^plot-[\da-f]{8}\.svg$/),
      contentType: 'image/svg+xml',
    });
    const [start, end] = [createdDate - minuteMs, createdDate + 2 * minuteMs];
    expect(file?.plot).toMatchObject({ start, end, curves: [{ name: 'SR:I', units: 'mA' }, { name: 'SR:NEVER' }] });
    expect(file?.plot?.curves[0]?.samples.map(({ value }) => value)).toEqual([429, 430, 431, 432]);
    expect(file?.plot?.curves[1]?.problems).toMatchObject([{ code: 'unknown' }]);
    expect(await find(id)).toMatchObject({ version: 1, modifyDate: null });
    expect(await collect(opened.storage.committed.entries.listArchived(id))).toEqual([]);
    expect(await kinds()).toEqual(['created', 'created', 'annotated']);
  });

  test('a process that ends before the end of a range loses no plot, and one that waits delays no other', async () => {
    const waiting = await create(plot('SR:I', '-1m..+20m'));
    const ended = await create(plot('SR:I', '-10m..-5m'));
    await run();
    expect(await plotsOf(ended)).toHaveLength(1);
    startProcess();
    await run();
    nowMs += 21 * minuteMs;
    startProcess();
    await run();
    startProcess();
    await run();
    expect(await plotsOf(waiting)).toHaveLength(1);
    expect(await plotsOf(ended)).toHaveLength(1);
    expect(await kinds()).toEqual(['created', 'created', 'annotated', 'annotated']);
  });

  test.for([
    ['that is down', (response: ServerResponse) => response.writeHead(503).end()],
    ['whose answer is cut off', (response: ServerResponse) => response.end('[{"meta":{},"data":[{"secs":17641')],
  ] as const)('a plot of last month waits for an archiver %s', async ([, answer]) => {
    const month = 30 * 24 * 60 * minuteMs;
    archiver.add('SR:I', {}, ...samples(createdDate - month, 3));
    const [from, to] = [0, 2 * minuteMs].map((ms) => new Date(createdDate - month + ms).toISOString());
    const id = await create(plot('SR:I', `${from}..${to}`));
    archiver.answer = answer;
    await expect(run()).rejects.toThrow();
    expect(await plotsOf(id)).toEqual([]);
    archiver.answer = undefined;
    nowMs += 2 * minuteMs;
    await run();
    expect((await plotsOf(id))[0]?.plot?.curves[0]?.samples.map(({ value }) => value)).toEqual([400, 401, 402]);
  });

  test('plots wait for an archiver that is down, and give up after a week, saying so', async () => {
    const id = await create(plot('SR:I', '-10m..-5m'));
    archiver.answer = (response) => response.writeHead(503).end();
    await expect(run()).rejects.toThrow('status 503');
    expect(await plotsOf(id)).toEqual([]);
    nowMs += 7 * 24 * 60 * minuteMs;
    await run();
    expect((await plotsOf(id))[0]?.plot?.curves).toMatchObject([
      { samples: [], problems: [{ code: 'unavailable', reason: 'the archiver answered with status 503' }] },
    ]);
  });

  test('a plot that could not be read is read when the clock that was ahead is set back', async () => {
    const id = await create(plot('SR:I', '-90m..-85m'));
    archiver.answer = (response) => response.writeHead(503).end();
    nowMs += 30 * minuteMs;
    await expect(run()).rejects.toThrow('status 503');
    archiver.answer = undefined;
    await run();
    expect(await plotsOf(id)).toEqual([]);
    nowMs -= 60 * minuteMs;
    await run();
    expect(await plotsOf(id)).toHaveLength(1);
  });

  const edit = (id: number, source: string) =>
    opened.storage.write(async (tx) => {
      const stored = await tx.entries.find(id);
      if (!stored) throw new Error('no entry');
      const { revision } = await tx.entries.edit({ ...stored.entry, source, modifyDate: nowMs });
      await tx.feed.append({ kind: 'edited', entryId: id, revision, notify: false, atMs: nowMs });
    });

  test('an edit that adds a plot has its samples, and one that changes it has those of the new lines', async () => {
    const id = await create('No plot.');
    await edit(id, plot('SR:I', '-10m..-5m'));
    await run();
    expect(await plotsOf(id)).toHaveLength(1);
    await edit(id, plot('SR:I', '-9m..-5m'));
    await run();
    expect((await plotsOf(id)).map(({ plot: stored }) => stored?.start)).toEqual([
      createdDate - 10 * minuteMs,
      createdDate - 9 * minuteMs,
    ]);
  });

  const redact = async (id: number) => {
    const attachments = ((await find(id))?.attachments ?? []).map((file) => file.id);
    const parts = { title: false, text: false, properties: false, attachments };
    const deps = { storage: opened.storage, blobs, clock: { nowMs: () => nowMs }, growingRuns: new GrowingRuns() };
    await redactEntry(deps, { entryId: id, parts, reason: 'secret', by: principal('admin', ['ADMIN']) });
  };
  const filenames = async (id: number) => (await find(id))?.attachments.map(({ filename }) => filename);

  test('a redacted plot stays redacted: neither the redaction nor a later edit has its samples read again', async () => {
    const id = await create(plot('SR:I', '-10m..-5m'));
    const other = await create(plot('SR:I', '-10m..-6m'));
    await run();
    const requested = archiver.ranges.length;
    await redact(id);
    await run();
    expect(await filenames(id)).toEqual(['removed.txt']);
    startProcess();
    await edit(id, plot('SR:I', '-9m..-5m'));
    await edit(other, plot('SR:I', '-8m..-6m'));
    await run();
    expect(await filenames(id)).toEqual(['removed.txt']);
    expect(archiver.ranges).toHaveLength(requested + 1);
    expect(await plotsOf(other)).toHaveLength(2);
  });

  test('a file that is redacted while the samples of a plot are read keeps the entry without them', async () => {
    const id = await create(plot('SR:I', '-10m..-5m'));
    await run();
    await edit(id, plot('SR:I', '-9m..-5m'));
    archiver.answer = (response) => {
      archiver.answer = undefined;
      void redact(id).then(() => response.writeHead(404).end());
    };
    await run();
    expect(await filenames(id)).toEqual(['removed.txt']);
  });

  test('samples are those around an event of the entry when its plot says so', async () => {
    const startMs = createdDate - 30 * minuteMs;
    const id = await create(plot('SR:I', '-2m..+1m at Beam dump'), [
      { name: 'Beam dump', instant: startMs + 5 * minuteMs },
    ]);
    await run();
    const [stored] = await plotsOf(id);
    expect(stored?.plot).toMatchObject({ start: startMs + 3 * minuteMs, end: startMs + 6 * minuteMs });
    expect(stored?.plot?.curves[0]?.samples.map(({ value }) => value)).toEqual([403, 404, 405, 406]);
  });

  test('a name that is not a device of the logbook is never requested', async () => {
    archiver.add('XX:SECRET', {}, ...samples(createdDate - 30 * minuteMs, 40));
    const id = await create(plot('mean_60(SR:I)', 'XX:SECRET', '-10m..-5m'));
    await run();
    expect((await plotsOf(id))[0]?.plot?.curves).toMatchObject([
      { samples: [], problems: [{ code: 'unknown' }] },
      { samples: [], problems: [{ code: 'unknown' }] },
    ]);
    expect(archiver.ranges).toEqual([]);
  });
}
