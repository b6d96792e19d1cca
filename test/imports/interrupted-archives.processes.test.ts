import { watch } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { references, writeElnArchive } from '../fixtures/eln-archive.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { unzip } from '../fixtures/unzip.js';

const entries = 450;
/** Kills in the middle of one import. */
const kills = 2;
const rule = '='.repeat(40);
/** One paragraph, which takes a thread some time to convert. */
const longText = 'The beam was lost in sector 7.\n'.repeat(130_000);

/** Writes replies in chains of 50, and a file with every tenth entry. */
async function writeEln(file: string, firstText: string): Promise<void> {
  const idOf = (at: number) => `./e${at}/`;
  const files: Record<string, string> = {};
  const nodes = Array.from({ length: entries }, (_, at) => {
    const isReplied = at % 50 !== 49 && at + 1 < entries;
    if (at % 10 === 0) files[`e${at}/f.txt`] = `content ${at}`;
    return {
      '@id': idOf(at),
      '@type': at % 50 === 0 ? 'Dataset' : ['Comment', 'Dataset'],
      name: `entry ${at}`,
      text: at === 0 ? firstText : `text ${at}`,
      dateCreated: new Date(1_600_000_000_000 + at * 1_000).toISOString(),
      ...(isReplied && { comment: references(idOf(at + 1)) }),
      ...(at % 10 === 0 && { hasPart: references(`./e${at}/f.txt`) }),
    };
  });
  const fileNodes = Object.keys(files).map((path) => ({ '@id': `./${path}`, '@type': 'File', name: 'f.txt' }));
  // A line of many megabytes in a small archive.
  const padding = { '@id': '#padding', '@type': 'Thing', text: ' '.repeat(20_000_000) };
  const roots = nodes.filter((_, at) => at % 50 === 0).map(({ '@id': id }) => id);
  await writeElnArchive(file, {
    root: { hasPart: references(...roots) },
    nodes: [...nodes, ...fileNodes, padding],
    files,
  });
}

async function writeElog(dir: string, firstText: string): Promise<void> {
  const ops = join(dir, 'logbooks', 'Ops');
  await mkdir(ops, { recursive: true });
  const logs = Array.from({ length: entries }, (_, at) => {
    const name = `201123_${String(100_000 + at)}_f.txt`;
    return [
      `$@MID@$: ${at + 1}`,
      `Date: ${new Date(1_606_000_000_000 + at * 1_000).toUTCString().replace('GMT', '+0000')}`,
      ...(at % 50 === 0 ? [] : [`In reply to: ${at}`]),
      `Subject: entry ${at}`,
      ...(at % 10 === 0 ? [`Attachment: ${name}`] : []),
      'Encoding: plain',
      rule,
      at === 0 ? firstText : `text ${at}, after elog:${at + 2}`,
      '',
    ].join('\n');
  });
  await writeFile(join(ops, '201123a.log'), logs.join(''));
  for (let at = 0; at < entries; at += 10) await writeFile(join(ops, `201123_${100_000 + at}_f.txt`), `content ${at}`);
}

/** Imports into a directory; calls back at each change below it. */
async function startImport(source: string, target: string, onChange: (changes: number, run: LogbookProcess) => void) {
  await mkdir(target, { recursive: true });
  let changes = 0;
  const watcher = watch(target, { recursive: true }, () => onChange(++changes, run));
  const run = LogbookProcess.spawn(target, { args: ['import', source] });
  const code = await run.exit();
  watcher.close();
  return { code, changes, run };
}

/** Returns everything that a logbook has, with titles in place of ids, of which a kill uses some up. */
async function readAll(dataDir: string): Promise<{ readonly entries: readonly string[]; readonly files: object }> {
  const file = join(dataDir, '..', 'all.zip');
  const { code, errors } = await runCommand(['export', file, '--data-dir', dataDir]);
  expect(code, errors).toBe(0);
  const contents = await unzip(file);
  const lines = String(contents.get('entries.ndjson')).trimEnd().split('\n');
  const exported = lines.map((line) => JSON.parse(line));
  const titles = new Map(exported.map(({ entry }) => [entry.id, entry.title]));
  const linked = (text: string) => text.replace(/#(\d+)/g, (_, id: string) => `#${titles.get(Number(id))}`);
  return {
    entries: exported.map(({ entry: { id: _, version: __, ...entry }, archived, inReplyTo }) =>
      linked(JSON.stringify({ entry, archived, inReplyTo: titles.get(inReplyTo) })),
    ),
    files: Object.fromEntries(
      [...contents].filter(([name]) => !/json$/.test(name)).map(([name, content]) => [name, String(content)]),
    ),
  };
}

const writers = { 'an .eln archive': writeEln, 'the folder of an ELOG': writeElog };

describe.each(Object.entries(writers))('an import of %s', (_name, write) => {
  let dir: string;
  beforeAll(async () => {
    dir = await makeTempDir();
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('that is killed again and again ends as one that is not, with every entry, reply and file once', async () => {
    const source = join(dir, 'source.eln');
    await write(source, 'short');
    const whole = await startImport(source, join(dir, 'whole'), () => undefined);
    expect(whole.code, whole.run.errors).toBe(0);
    let killed = 0;
    while (killed === 0) {
      // While this process waits for a processor, an import may end before it is killed.
      await rm(join(dir, 'killed'), { recursive: true, force: true });
      for (let part = 1; part <= kills; part++) {
        const { code } = await startImport(source, join(dir, 'killed'), (changes, run) => {
          if (changes > (whole.changes * part) / (2 * kills)) run.signal('SIGKILL');
        });
        if (code === null) killed += 1;
      }
    }
    const last = await startImport(source, join(dir, 'killed'), () => undefined);
    expect(last.code, last.run.errors).toBe(0);
    const [expected, found] = [await readAll(join(dir, 'whole')), await readAll(join(dir, 'killed'))];
    for (const [at, one] of expected.entries.entries()) expect(found.entries[at]).toBe(one);
    expect(found.files).toEqual(expected.files);
    expect(found.entries).toHaveLength(entries);
    expect(Object.keys(found.files)).toHaveLength(entries / 10);
  });

  test('stops at SIGTERM while it converts a long text, and names what to do', async () => {
    const source = join(dir, 'long.eln');
    await write(source, longText);
    for (;;) {
      await rm(join(dir, 'stopped'), { recursive: true, force: true });
      let quiet: NodeJS.Timeout | undefined;
      let isSignalled = false;
      const { code, run } = await startImport(source, join(dir, 'stopped'), (_changes, one) => {
        // Nothing is stored while the text is converted.
        clearTimeout(quiet);
        // A second signal would end it without a message.
        if (isSignalled) return;
        quiet = setTimeout(() => {
          isSignalled = true;
          one.signal('SIGTERM');
        }, 500);
      });
      clearTimeout(quiet);
      // It has ended before the signal.
      if (code === 0) continue;
      expect([code, run.errors]).toEqual([1, expect.stringContaining('Run the same command again to continue.')]);
      return;
    }
  });
});
