import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeExport } from '../../../test/fixtures/export-file.js';
import { makeTempDir } from '../../../test/fixtures/service.js';
import type { ImportedBatch } from '../../imports/import-source.port.js';
import { ZipReader } from '../../imports/zip-reader.js';
import { FileImportSource } from './file-import-source.js';

let file: string;
let dir: string;
beforeEach(async () => {
  dir = await makeTempDir();
  file = join(dir, 'export.zip');
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

/** Writes an export with entries of these texts, the first one under the id 1. */
const write = (texts: readonly string[], options = {}) =>
  writeExport(file, { entries: texts.map((source, at) => ({ entry: { id: at + 1, source } })) }, options);

async function walk(position?: string): Promise<ImportedBatch[]> {
  const source = await FileImportSource.open(await ZipReader.open(file), new AbortController().signal);
  try {
    const batches: ImportedBatch[] = [];
    for await (const batch of source.walk(position, new AbortController().signal)) batches.push(batch);
    return batches;
  } finally {
    await source.close();
  }
}

const idsOf = (batches: readonly ImportedBatch[]) => batches.flatMap(({ entries }) => entries.map(({ id }) => id));
const texts = (count: number, length: number) => Array.from({ length: count }, (_, at) => String(at).padEnd(length));

describe('the walk of a file', () => {
  test('bounds its batches by entries and by bytes, and shows each entry once, in order', async () => {
    await write(texts(1_000, 20));
    const small = await walk();
    expect(Math.max(...small.map(({ entries }) => entries.length))).toBe(250);
    expect(idsOf(small)).toEqual(Array.from({ length: 1_000 }, (_, at) => at + 1));

    await write(texts(12, 400_000));
    const large = await walk();
    expect(large.map(({ entries }) => entries.length)).toEqual([3, 3, 3, 3]);
    expect(large.flatMap(({ entries }) => entries.map(({ current }) => current.source))).toEqual(texts(12, 400_000));
  });

  test('continues behind any of its positions', async () => {
    await write(texts(700, 3_000));
    const all = await walk();
    for (const [at, { position }] of all.entries())
      expect(idsOf(await walk(position))).toEqual(idsOf(all.slice(at + 1)));
  });

  test('fails when the content is not the one that was written', async () => {
    await write(['the magnet trips'], { compress: false });
    const bytes = await readFile(file);
    bytes.write('m', bytes.indexOf('trips'));
    await writeFile(file, bytes);
    await expect(walk()).rejects.toMatchObject({
      code: 'import.source-invalid',
      message: expect.stringContaining('“entries.ndjson” has a wrong size or checksum'),
    });
  });
});
