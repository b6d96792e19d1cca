import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { references, writeArchive, writeElnArchive } from '../fixtures/eln-archive.js';
import { writeExport } from '../fixtures/export-file.js';
import { ImportTarget } from '../fixtures/import-archive.js';

let target: ImportTarget;
let file: string;
beforeEach(async () => {
  target = await ImportTarget.open();
  file = join(target.dir, 'hostile.eln');
});
afterEach(() => target.close());

const dataset = (id: string, values: object = {}) => ({ '@id': id, '@type': 'Dataset', name: id, ...values });
const simple = {
  root: { hasPart: references('./a/') },
  nodes: [
    dataset('./a/', { hasPart: references('./a/f.txt') }),
    { '@id': './a/f.txt', '@type': 'File', name: 'f.txt' },
  ],
  files: { 'a/f.txt': 'content' },
};

/** Changes the bytes of the archive wherever a text is found. */
async function patch(from: string | Buffer, change: (bytes: Buffer, at: number) => void) {
  const bytes = await readFile(file);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) change(bytes, at);
  await writeFile(file, bytes);
}

const central = Buffer.from([0x50, 0x4b, 0x01, 0x02]);

describe('an archive is refused, and nothing is stored,', () => {
  const cases: readonly (readonly [string, () => Promise<void>, RegExp])[] = [
    [
      'whose names lead out of it',
      async () => {
        await writeElnArchive(file, { ...simple, files: { 'x/y/z/evil.txt': 'x' } });
        await patch('x/y/z/evil', (bytes, at) => bytes.write('../../evil', at));
      },
      /invalid relative path/,
    ],
    [
      'with two files of one name',
      async () => {
        await writeElnArchive(file, { ...simple, files: { 'a/f.txt': '1', 'a/g.txt': '2' } });
        await patch('a/g.txt', (bytes, at) => bytes.write('f', at + 2));
      },
      /twice/,
    ],
    [
      'with two roots',
      async () =>
        writeArchive(file, [
          ['a/ro-crate-metadata.json', '{}'],
          ['b/ro-crate-metadata.json', '{}'],
        ]),
      /several folders/,
    ],
    [
      'without a description',
      async () => writeArchive(file, [['a/b.txt', 'x']]),
      /no FOLDER\/ro-crate-metadata[.]json/,
    ],
    [
      'whose description is encrypted',
      async () => {
        await writeElnArchive(file, simple);
        await patch(central, (bytes, at) => bytes.writeUInt16LE(bytes.readUInt16LE(at + 8) | 1, at + 8));
      },
      /is encrypted/,
    ],
    [
      'that unpacks to far more than it has',
      async () => {
        await writeElnArchive(file, simple);
        await patch(central, (bytes, at) => bytes.writeUInt32LE(2_000_000_000, at + 24));
      },
      /more than 100 times its size/,
    ],
    [
      'whose files share their bytes',
      async () => {
        await writeElnArchive(file, { ...simple, files: { 'a/f.txt': 'x'.repeat(50) } });
        await patch(central, (bytes, at) => bytes.writeUInt32LE(bytes.length, at + 20));
      },
      /overlap/,
    ],
    [
      'whose description ends early',
      async () => writeArchive(file, [['a/ro-crate-metadata.json', '{"@graph":[{"@id":"./"}']]),
      /its end is missing/,
    ],
    [
      'whose description has no graph',
      async () => writeArchive(file, [['a/ro-crate-metadata.json', '{"graph":[{"@id":"./"}]}']]),
      /no @graph/,
    ],
    [
      'whose description is no JSON',
      async () => writeArchive(file, [['a/ro-crate-metadata.json', '{"@graph":[{"@id":"./",}]}']]),
      /JSON/,
    ],
    [
      'whose description has no root',
      async () => writeArchive(file, [['a/ro-crate-metadata.json', '{"@graph":[{"@id":"x"}]}']]),
      /no root dataset/,
    ],
    [
      'whose description is too deep',
      async () => writeArchive(file, [['a/ro-crate-metadata.json', `{"@graph":[{"a":${'['.repeat(1_000_000)}`]]),
      /within 100 others/,
    ],
    [
      'with a node of too many values',
      async () =>
        writeArchive(file, [
          ['a/ro-crate-metadata.json', `{"@graph":[{"@id":"./","a":[${'{},'.repeat(2_000_000)}1]}]}`],
        ]),
      /more than 2000000 values/,
    ],
  ];
  test.each(cases)('%s', async (_name, write, message) => {
    await write();
    await expect(target.import(file)).rejects.toMatchObject({
      code: 'import.source-invalid',
      message: expect.stringMatching(message),
    });
    expect(await target.entries()).toEqual([]);
  });
});

describe('the report says what could not be imported:', () => {
  const cases: readonly (readonly [string, () => Promise<void>, RegExp])[] = [
    [
      'a file that is missing',
      async () => writeElnArchive(file, { ...simple, files: {} }),
      /does not have the file “f.txt”/,
    ],
    [
      'a file with another checksum',
      async () =>
        writeElnArchive(file, {
          ...simple,
          nodes: [
            simple.nodes[0] as object as never,
            { '@id': './a/f.txt', '@type': 'File', name: 'f.txt', sha256: '0'.repeat(64) },
          ],
        }),
      /does not have the checksum/,
    ],
    [
      'a file with damaged bytes',
      async () => {
        await writeElnArchive(file, { ...simple, files: { 'a/f.txt': 'c' } });
        await patch(Buffer.from('an export/a/f.txt'), (bytes, at) => {
          if (bytes.readUInt32LE(at - 30) === 0x04034b50) bytes[at + 17] = (bytes[at + 17] as number) ^ 0x55;
        });
      },
      /f.txt” did not arrive/,
    ],
    [
      'a link to another file',
      async () => {
        await writeElnArchive(file, { ...simple, files: { 'a/f.txt': '/etc/passwd' } });
        await patch(Buffer.from('an export/a/f.txt'), (bytes, at) => {
          if (bytes.readUInt32LE(at - 46) === 0x02014b50) bytes.writeUInt32LE(0xa1ff0000, at - 46 + 38);
        });
      },
      /does not have the file “f.txt”/,
    ],
    [
      'files outside of the folder',
      async () => writeElnArchive(file, { ...simple, others: { 'other/x.txt': 'x' } }),
      /belong to no entry and were left out: “other\/x.txt”/,
    ],
    [
      'a dataset that is no part of the crate',
      async () => writeElnArchive(file, { ...simple, nodes: [...simple.nodes, dataset('./lost/')] }),
      /not part of the crate and were left out: “lost”/,
    ],
    [
      'two datasets of one id',
      async () => writeElnArchive(file, { ...simple, nodes: [...simple.nodes, dataset('./a/', { name: 'again' })] }),
      /several nodes/,
    ],
  ];
  test.each(cases)('%s', async (_name, write, message) => {
    await write();
    const { report } = await target.import(file);
    expect(report.problems.map(({ text }) => text)).toEqual([expect.stringMatching(message)]);
    expect(await target.entries()).toHaveLength(1);
  });

  test('parts that contain each other are entries once each', async () => {
    const nodes = [
      dataset('./a/', { hasPart: references('./b/', './a/') }),
      dataset('./b/', { hasPart: references('./c/') }),
      dataset('./c/', { hasPart: references('./a/'), comment: references('./b/') }),
    ];
    await writeElnArchive(file, { root: { hasPart: references('./a/', './b/', './c/') }, nodes });
    const { report, reconciliation } = await target.import(file);
    expect(reconciliation.differences).toEqual([]);
    expect(report.problems.map(({ text }) => text)).toEqual([expect.stringMatching(/is a part of itself/)]);
    expect((await target.entries()).map(({ title }) => title).sort()).toEqual(['./a/', './b/', './c/']);
  });
});

test('comments in a chain of 6,000 become replies, also when the import stops between; again: nothing is new, in linear time', async () => {
  const count = 6_000;
  const nodes = Array.from({ length: count }, (_, at) => ({
    '@id': `#c${at}`,
    '@type': 'Comment',
    text: `comment ${at}`,
    comment: at + 1 < count ? references(`#c${at + 1}`) : [],
  }));
  await writeElnArchive(file, {
    root: { hasPart: references('./a/') },
    nodes: [dataset('./a/', { comment: references('#c0') }), ...nodes],
  });
  const stop = new AbortController();
  const reason = new Error('stopped');
  const onEntries = (created: number) => created > 1_000 && stop.abort(reason);
  await expect(target.import(file, { signal: stop.signal, onEntries })).rejects.toBe(reason);
  const before = (await target.entries()).length;
  const { report, reconciliation } = await target.import(file);
  expect([before + report.counts.created, reconciliation.differences]).toEqual([count + 1, []]);
  const entries = await target.entries();
  for (const [at, { parent }] of entries.entries()) expect(parent).toBe(at === 0 ? undefined : entries[at - 1]?.id);
  const parse = vi.spyOn(JSON, 'parse');
  expect((await target.import(file)).report.counts).toMatchObject({ created: 0, unchanged: count + 1 });
  expect(parse.mock.calls.length).toBeLessThan(60 * count);
  parse.mockRestore();
});

test.each([
  [2_000, false],
  [100_000, true],
])('a graph of %i nodes is imported; it is said only of too many that some were left out', async (count, isCut) => {
  const ids = Array.from({ length: count }, (_, at) => `#v${at}`);
  const nodes = ids.map((id, at) => ({ '@id': id, '@type': 'PropertyValue', propertyID: `p${at}`, value: at }));
  await writeElnArchive(file, {
    root: { hasPart: references('./a/') },
    nodes: [dataset('./a/', { variableMeasured: references(...ids) }), ...nodes],
  });
  const { report } = await target.import(file);
  const remark = 'It has more than 2000 attributes; the others were left out.';
  expect(report.remarks.some(({ text }) => text === remark)).toBe(isCut);
  expect((await target.entries())[0]?.properties[0]?.attributes).toHaveLength(2_000);
});

describe('an export', () => {
  test('with an entry of millions of values is refused', async () => {
    await writeArchive(file, [
      ['logbook.json', '{"format":"logbook-export","version":1,"storeId":"s","exportId":"e"}'],
      ['catalog.json', '{"levels":[],"logbooks":[],"tags":[],"properties":[]}'],
      ['templates.ndjson', ''],
      ['entries.ndjson', `{"entry":{"id":1,"tags":[${'{},'.repeat(3_000_000)}1]}}`],
    ]);
    await expect(target.import(file)).rejects.toMatchObject({
      code: 'import.source-invalid',
      message: expect.stringMatching(/more than 2000000 values/),
    });
  });

  test('with an entry of 100,000 tags brings the first 10,000, and says so', async () => {
    const tags = Array.from({ length: 100_000 }, (_, at) => ({ name: `t${at}` }));
    await writeExport(file, { entries: [{ entry: { id: 1, title: 't', tags } }] });
    const { report } = await target.import(file);
    expect([...report.problems, ...report.remarks].map(({ text }) => text)).toContain(
      'Only the first 10000 of 100000 tags were read.',
    );
    expect((await target.entries())[0]?.tags).toHaveLength(10_000);
  });
});
