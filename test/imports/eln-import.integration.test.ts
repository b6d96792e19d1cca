import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { groupIdOf } from '../../src/entries/entry.js';
import { dateOf, noteUnreadDates } from '../../src/integrations/eln/crate-dates.js';
import { type ElnArchive, references, writeArchive, writeElnArchive } from '../fixtures/eln-archive.js';
import { ImportTarget } from '../fixtures/import-archive.js';

let target: ImportTarget;
let file: string;
beforeEach(async () => {
  target = await ImportTarget.open();
  file = join(target.dir, 'other.eln');
});
afterEach(() => target.close());

/** Imports an archive, and returns the entries in short. */
async function bring(archive: ElnArchive, logbook?: string) {
  await writeElnArchive(file, archive);
  const { report, reconciliation } = await target.import(file, logbook === undefined ? {} : { logbook });
  const entries = (await target.entries()).map((entry) => ({
    id: entry.id,
    title: entry.title,
    owner: entry.owner,
    ownerName: entry.ownerName,
    created: new Date(entry.createdDate).toISOString(),
    modified: entry.modifyDate === null ? null : new Date(entry.modifyDate).toISOString(),
    source: entry.source,
    tags: entry.tags.map(({ name }) => name),
    logbooks: entry.logbooks.map(({ name }) => name),
    files: entry.attachments.map(({ filename }) => filename),
    ids: entry.attachments.map(({ id }) => id),
    parent: entry.parent,
    group: groupIdOf(entry),
    values: Object.fromEntries(
      entry.properties.flatMap(({ name, attributes }) =>
        name === 'Log Entry Group' ? [] : attributes.map((one) => [`${name}.${one.name}`, one.value]),
      ),
    ),
  }));
  return { entries, report, differences: reconciliation.differences };
}

const dataset = (id: string, values: object) => ({ '@id': id, '@type': 'Dataset', ...values });
const fileNode = (id: string, values: object = {}) => ({
  '@id': id,
  '@type': 'File',
  name: id.split('/').at(-1),
  ...values,
});
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

test('the root, which names all entries, is not parsed again for each of them', async () => {
  const ids = Array.from({ length: 50 }, (_, at) => `./e${at}/`);
  const parse = vi.spyOn(JSON, 'parse');
  try {
    const { entries } = await bring({
      root: { name: 'large', description: 'x'.repeat(100_000), hasPart: references(...ids) },
      nodes: ids.map((id) => dataset(id, { name: id, text: 'a' })),
    });
    expect(entries).toHaveLength(50);
    expect(parse.mock.calls.filter(([text]) => text.length > 100_000).length).toBeLessThan(20);
  } finally {
    parse.mockRestore();
  }
});

describe('an archive of', () => {
  test('eLabFTW: HTML, comments, categories, extra fields, steps, and files by their storage names', async () => {
    const folder = './Demo - A run - 4af4da4e/';
    const { entries, report, differences } = await bring({
      publisher: { '@id': '#publisher', name: 'eLabFTW' },
      root: { hasPart: references(folder, './Other - b7/') },
      files: { 'Demo - A run - 4af4da4e//plot.png': 'png', 'ro-crate-preview.html': '<p>' },
      nodes: [
        dataset(folder, {
          name: 'A run',
          author: { '@id': 'person://a?hash_algo=sha256' },
          dateCreated: '2025-09-16T10:32:54+02:00',
          dateModified: '2025-09-16T10:37:05+02:00',
          encodingFormat: 'text/html',
          text: '<h1>Goal</h1><p>See <strong>this</strong> <img src="app/download.php?name=plot.png&amp;f=7b/7b82.png"></p>',
          url: 'https://elab.example.org/experiments.php?mode=view&id=52',
          genre: 'experiment',
          creativeWorkStatus: 'Success',
          keywords: 'tag with space,{[é®]}:*',
          about: { '@id': '#category-Demo' },
          comment: references('comment://f1?hash_algo=sha256'),
          mentions: references('./Other - b7/'),
          hasPart: references(`${folder}plot.png`),
          variableMeasured: references('pv://1', 'pv://2'),
          step: references('howtostep://1'),
        }),
        dataset('./Other - b7/', {
          name: 'Other',
          encodingFormat: 'text/html',
          dateCreated: '2025-09-15T00:00:00Z',
          text: '<p>Pasted <img src="data:image/png;base64,UE5H"></p>',
        }),
        fileNode(`${folder}plot.png`, { alternateName: '7b/7b82.png', contentSize: 3, sha256: sha256('png') }),
        { '@id': '#category-Demo', '@type': 'Thing', name: 'Demo' },
        { '@id': 'pv://1', '@type': 'PropertyValue', propertyID: 'Current', value: '12', unitText: 'mA' },
        { '@id': 'pv://2', '@type': 'PropertyValue', propertyID: 'elabftw_metadata', value: '{}' },
        { '@id': 'howtostep://1', '@type': 'HowToStep', itemListElement: { '@id': 'howtodirection://1' } },
        { '@id': 'howtodirection://1', '@type': 'HowToDirection', text: 'switch on' },
        {
          '@id': 'comment://f1?hash_algo=sha256',
          '@type': 'Comment',
          dateCreated: '2025-09-17T10:32:54+02:00',
          text: 'Nice *work*',
          author: { '@id': 'person://a?hash_algo=sha256' },
        },
        {
          '@id': 'person://a?hash_algo=sha256',
          '@type': 'Person',
          givenName: 'Nicola',
          familyName: 'Mohr',
          email: 'n@x.org',
        },
      ],
    });
    expect(differences).toEqual([]);
    expect(report.problems).toEqual([]);
    const [other, run, comment] = entries;
    expect(other).toMatchObject({
      title: 'Other',
      source: `Pasted ![](attachment/${other?.ids[0]})`,
      files: ['pasted-1.png'],
      parent: undefined,
      group: undefined,
    });
    expect(run).toMatchObject({
      title: 'A run',
      owner: 'n@x.org',
      ownerName: 'Nicola Mohr',
      created: '2025-09-16T08:32:54.000Z',
      modified: '2025-09-16T08:37:05.000Z',
      tags: ['tag with space', '{[é®]}:*'],
      logbooks: ['eLabFTW'],
      files: ['plot.png'],
      source: `# Goal\n\nSee **this** ![](attachment/${run?.ids[0]})`,
      values: {
        'eLabFTW.Current': '12 mA',
        'eLabFTW.about': 'Demo',
        'eLabFTW.creativeWorkStatus': 'Success',
        'eLabFTW.genre': 'experiment',
        'eLabFTW.mentions': 'Other',
        'eLabFTW.step': 'switch on',
      },
    });
    expect(comment).toMatchObject({
      title: 'Nice *work*',
      source: 'Nice \\*work\\*',
      parent: run?.id,
      group: run?.group,
    });
    expect(run?.group).toBeDefined();
  });

  test('Kadi4Mat: descriptions that are nodes, and nested names', async () => {
    const { entries, differences } = await bring({
      publisher: { '@id': 'https://kadi.example.org', name: 'Kadi4Mat' },
      root: { hasPart: references('./rec/') },
      files: { 'rec/files/a b.csv': '1,2', 'rec/rec.json': '{}' },
      nodes: [
        dataset('./rec/', {
          name: 'A record',
          identifier: 'rec',
          author: { '@id': 'http://k/users/34' },
          dateCreated: '2022-10-10T10:06:11.191752+00:00',
          description: { '@id': 'http://k/records/1#description' },
          hasPart: references('./rec/files/a%20b.csv', './rec/rec.json'),
          keywords: 'mechanical properties, sample',
          license: { '@id': 'https://creativecommons.org/licenses/by/4.0/' },
          variableMeasured: references('http://k/records/1#extras-a.b'),
        }),
        {
          '@id': 'http://k/records/1#description',
          '@type': 'TextObject',
          encodingFormat: 'text/markdown',
          text: '**Bold** and <kept>',
        },
        { '@id': 'http://k/records/1#extras-a.b', '@type': 'PropertyValue', propertyID: 'Tools.0', value: [false, 2] },
        { '@id': 'http://k/users/34', '@type': 'Person', name: 'Ada' },
        { '@id': 'https://creativecommons.org/licenses/by/4.0/', '@type': 'CreativeWork', name: 'CC BY' },
        fileNode('./rec/files/a%20b.csv', { contentSize: '3', description: { '@id': 'http://k/f#d' } }),
        { '@id': 'http://k/f#d', '@type': 'TextObject', text: 'a table' },
        fileNode('./rec/rec.json'),
      ],
    });
    expect(differences).toEqual([]);
    expect(entries).toMatchObject([
      {
        title: 'A record',
        owner: 'Ada',
        source: '**Bold** and <kept>',
        tags: ['mechanical properties', 'sample'],
        files: ['a%20b.csv', 'rec.json'],
        values: { 'Kadi4Mat.Tools.0': 'false; 2', 'Kadi4Mat.license': 'CC BY', 'Kadi4Mat.identifier': 'rec' },
      },
    ]);
  });

  test('PASTA: tasks within a project, files in two places, files elsewhere, and what is measured in files', async () => {
    const { entries, report, differences } = await bring({
      publisher: { '@id': 'PASTA-ELN', name: 'PASTA ELN' },
      root: { creator: references('author_S'), hasPart: references('./P/', './P/task/', './P/a.png') },
      files: { 'P/a.png': 'a', 'P/notes.txt': 'n' },
      others: {},
      nodes: [
        dataset('./P/', {
          name: 'Project',
          description: 'about',
          encodingFormat: 'text/markdown',
          dateCreated: '2025-09-30T13:59:35.5',
          hasPart: references('./P/task/', './P/a.png', 'https://x.org/y.jpg'),
        }),
        dataset('./P/task/', {
          name: 'Task',
          keywords: 'TODO',
          dateCreated: '2025-09-29T00:00:00',
          hasPart: references('./P/a.png'),
        }),
        fileNode('./P/a.png', { variableMeasured: references('#w'), sha256: sha256('a') }),
        { '@id': '#w', '@type': 'PropertyValue', propertyID: 'width', value: '800', unitText: 'mm' },
        fileNode('https://x.org/y.jpg'),
        { '@id': 'author_S', '@type': 'Person', givenName: 'S', familyName: 'B', email: 's@x.org' },
      ],
    });
    expect(differences).toEqual([]);
    expect(report.problems).toEqual([]);
    expect(entries).toMatchObject([
      {
        title: 'Project',
        owner: 's@x.org',
        created: '2025-09-30T13:59:35.500Z',
        source: 'about\n\n- <https://x.org/y.jpg>',
        files: ['a.png', 'notes.txt'],
        values: { 'PASTA ELN.a.png: width': '800 mm' },
      },
      { title: 'Task', parent: entries[0]?.id, group: entries[0]?.group, tags: ['TODO'], files: ['a.png'] },
    ]);
  });

  test('SampleDB: versions are files of their object, comments its replies', async () => {
    const { entries, differences } = await bring({
      publisher: { '@id': 'SampleDB', name: 'SampleDB' },
      root: { hasPart: references('./objects/1/') },
      files: { 'objects/1/versions/0/data.json': '{}', 'objects/1/files.json': '[]' },
      nodes: [
        dataset('./objects/1/', {
          name: 'OMBE-1',
          description: 'Object #1',
          author: { '@id': './users/2' },
          dateCreated: '2025-10-15T14:24:07.502648',
          isBasedOn: { '@id': './objects/1/versions/0/' },
          comment: references('./objects/1/comments/1'),
          hasPart: references('./objects/1/versions/0/', './objects/1/files.json'),
        }),
        dataset('./objects/1/versions/0/', {
          name: 'OMBE-1',
          description: 'Object #1 version #0',
          hasPart: references('./objects/1/versions/0/data.json'),
        }),
        fileNode('./objects/1/versions/0/data.json'),
        fileNode('./objects/1/files.json'),
        {
          '@id': './objects/1/comments/1',
          '@type': 'Comment',
          parentItem: { '@id': './objects/1/' },
          author: { '@id': './users/2' },
          dateCreated: '2025-10-15T14:24:07.586006',
          text: 'well done',
        },
        { '@id': './users/2', '@type': 'Person', name: 'Instrument Scientist' },
      ],
    });
    expect(differences).toEqual([]);
    expect(entries).toMatchObject([
      { title: 'OMBE-1', owner: 'Instrument Scientist', files: ['files.json', 'data.json'] },
      { title: 'well done', parent: entries[0]?.id },
    ]);
    expect(entries).toHaveLength(2);
  });

  test('RSpace: lists of keywords, its form of dates, and files of the archive itself', async () => {
    const { entries, report } = await bring({
      publisher: { '@id': '#RSpace', name: 'RSpace' },
      root: { datePublished: '2023-12-08', hasPart: references('./doc_1', './schemas/s.xsd') },
      files: { 'doc_1/doc.xml': '<x/>', 'doc_1/icon.png': 'i', 'schemas/s.xsd': '<s/>' },
      nodes: [
        dataset('./doc_1', {
          keywords: ['red', { '@id': '#term' }],
          hasPart: references('./doc_1/doc.xml'),
          dateCreated: '07:12:23:16:11:12',
        }),
        { '@id': '#term', '@type': 'DefinedTerm', name: 'my document' },
        { '@id': './doc_1/doc.xml', '@type': 'File', sha256: sha256('<x/>') },
        { '@id': './schemas/s.xsd', '@type': 'File' },
      ],
    });
    expect(report.problems).toEqual([]);
    expect(entries).toMatchObject([
      {
        title: 'doc_1',
        created: '2023-12-07T16:11:12.000Z',
        tags: ['red', 'my document'],
        files: ['doc.xml', 'icon.png'],
      },
      { title: 'the root', created: '2023-12-08T00:00:00.000Z', files: ['s.xsd'] },
    ]);
  });

  test('OpenSemanticLab: paths without a beginning', async () => {
    const { entries } = await bring({
      publisher: { '@id': 'https://osl.example.org/id/1', name: 'OpenSemanticLab' },
      root: { hasPart: references('TestEntry/') },
      nodes: [
        dataset('TestEntry/', {
          name: 'Minimal',
          author: { '@id': 'https://osl.example.org/id/2' },
          dateCreated: '2021-01-01T00:00:00Z',
          description: 'A minimal one, https://a.example/x_y.',
        }),
        { '@id': 'https://osl.example.org/id/2', '@type': 'Person', email: 't@x.org', name: 'T' },
      ],
    });
    expect(entries).toMatchObject([
      { title: 'Minimal', owner: 't@x.org', ownerName: 'T', source: 'A minimal one, <https://a.example/x_y>.' },
    ]);
  });

  test('SciLog: messages of a book, comments that are datasets, and images in texts; in the logbook that was asked for', async () => {
    const message = (id: string, text: string, values: object = {}) => ({
      '@id': `./${id}/`,
      '@type': ['Message', 'Dataset'],
      name: `Paragraph ${id}`,
      text,
      encodingFormat: 'text/html',
      dateCreated: '2026-01-19T14:26:44.457Z',
      author: { '@id': 'person://o@x.org' },
      ...values,
    });
    const { entries, report } = await bring(
      {
        publisher: { '@id': 'https://github.com/paulscherrerinstitute/scilog', name: 'SciLog' },
        root: { hasPart: references('./book/') },
        files: { 'm1/p.jpeg': 'jpeg' },
        nodes: [
          {
            '@id': './book/',
            '@type': ['Book', 'Dataset'],
            name: 'logbook-001',
            description: 'a book',
            hasPart: references('./m1/', './m2/'),
          },
          message('m1', '<p>see <img src="./m1/p.jpeg"></p>', {
            hasPart: references('./m1/p.jpeg'),
            keywords: 'atag,btag',
          }),
          message('m2', '<p>hello</p>', { comment: references('./c1/') }),
          { ...message('c1', '<p>a comment</p>'), '@type': ['Comment', 'Dataset'], parentItem: { '@id': './m2/' } },
          fileNode('./m1/p.jpeg', { contentSize: '4' }),
          { '@id': 'person://o@x.org', '@type': 'Person', email: 'o@x.org' },
        ],
      },
      'shift',
    );
    expect(report.problems).toEqual([]);
    const [first, second] = entries;
    expect(entries).toMatchObject([
      {
        title: 'Paragraph m1',
        source: `see ![](attachment/${first?.ids[0]})`,
        tags: ['atag', 'btag'],
        logbooks: ['shift'],
        parent: undefined,
        values: { 'SciLog.book': 'logbook-001' },
      },
      { title: 'Paragraph m2', source: 'hello' },
      { title: 'Paragraph c1', source: 'a comment', parent: second?.id },
    ]);
  });
});

test('files of the operating system are left out, and file names with decomposed accents are found', async () => {
  const { entries, report } = await bring({
    root: { hasPart: references('./run') },
    nodes: [
      dataset('./run', {
        name: 'run',
        author: { name: 'a' },
        dateCreated: '2026-01-02',
        hasPart: references('./run/Größe.csv'),
      }),
      fileNode('./run/Größe.csv'),
    ],
    files: { 'run/Gro\u0308ße.csv': '1', 'run/.DS_Store': 'x', 'run/Thumbs.db': 'x' },
    others: { '__MACOSX/an export/._ro-crate-metadata.json': 'x', '__MACOSX/._an export': 'x' },
  });
  expect(entries.map(({ files }) => files)).toEqual([['Größe.csv']]);
  expect(report.problems).toEqual([]);
});

test.each([
  ['a root that the descriptor names by an address', 'ro-crate-metadata.json', 'https://x.example/crate/'],
  ['the file name of the first version of the format', 'ro-crate-metadata.jsonld', './'],
])('%s is understood', async (_case, name, root) => {
  const graph = [
    dataset('./run', { name: 'run', text: 'beam', dateCreated: '03/01/2026 10:00', dateModified: '2026-01-04' }),
    dataset(root, { hasPart: references('./run') }),
    { '@id': name, '@type': 'CreativeWork', about: { '@id': root }, dateCreated: '2026-01-02T03:04:05Z' },
  ];
  await writeArchive(file, [[`crate/${name}`, JSON.stringify({ '@graph': graph })]]);
  const { report } = await target.import(file, {});
  const [entry] = await target.entries();
  expect(entry).toMatchObject({ title: 'run', source: 'beam', createdDate: Date.parse('2026-01-04T00:00:00Z') });
  expect(report.remarks.map(({ text }) => text)).toContain(
    'Its dateCreated cannot be read as a date: “03/01/2026 10:00”.',
  );
});

describe('nodes in place of references:', () => {
  const book = (values: object) => ({
    root: { hasPart: references('./run/'), dateCreated: '2024-06-01' },
    nodes: [dataset('./run/', { name: 'Run', dateCreated: '2024-05-01T10:00:00Z', text: 'of today', ...values })],
  });

  test('comments become replies, in a list or alone, as nodes or as texts, with their replies, authors and dates', async () => {
    const { entries, report, differences } = await bring(
      book({
        comment: [
          {
            '@type': 'Comment',
            text: 'first',
            author: { '@type': 'Person', name: 'Mia' },
            dateCreated: { '@type': 'http://schema.org/DateTime', '@value': '2024-05-02T10:00:00Z' },
            comment: { '@type': 'Comment', text: ['an answer'], author: { name: 'Jane' }, dateCreated: '20240503' },
          },
          { '@id': '#two', text: 'second', creator: 'Tom', dateCreated: 1_714_900_000 },
          'third',
        ],
      }),
    );
    expect(differences).toEqual([]);
    expect(entries.map(({ source, owner, created, parent }) => [source, owner, created.slice(0, 10), parent])).toEqual([
      ['of today', '', '2024-05-01', undefined],
      ['third', '', '2024-06-01', 1],
      ['first', 'Mia', '2024-05-02', 1],
      ['an answer', 'Jane', '2024-05-03', 3],
      ['second', 'Tom', '2024-05-05', 1],
    ]);
    expect(new Set(entries.map(({ group }) => group)).size).toBe(1);
    expect(report.remarks.map(({ text }) => text)).toContain('It has no author.');
  });

  test('comments on files and folders become replies to their entry, and say which file they are about', async () => {
    const comment = (id: string, text: string, values: object = {}) => ({
      '@id': id,
      '@type': 'Comment',
      text,
      dateCreated: '2024-05-02',
      ...values,
    });
    const { entries, report, differences } = await bring({
      root: { hasPart: references('./run/', './all.csv') },
      files: { 'run/a.csv': 'a', 'run/raw/b.csv': 'b', 'run/raw/deep/c.csv': 'c', 'run/d.csv': 'd', 'all.csv': 'all' },
      nodes: [
        dataset('./run/', {
          name: 'Run',
          text: 'of today',
          dateCreated: '2024-05-01',
          hasPart: references('./run/a.csv', './run/raw/'),
        }),
        dataset('./run/raw/', { name: 'raw', hasPart: references('./run/raw/b.csv', './run/raw/deep/') }),
        dataset('./run/raw/deep/', { name: 'deep', hasPart: references('./run/raw/deep/c.csv') }),
        fileNode('./run/a.csv', { comment: references('#by-id') }),
        fileNode('./run/raw/b.csv', { comment: ['alone', { '@type': 'Comment', text: 'inline' }] }),
        fileNode('./run/raw/deep/c.csv'),
        // No node lists this file; it is in the folder of the entry.
        fileNode('./run/d.csv', { comment: references('#beside') }),
        fileNode('./all.csv', { comment: 'on all' }),
        comment('#by-id', 'spike at 3 s', { comment: references('#answer') }),
        comment('#answer', 'seen'),
        comment('#beside', 'empty'),
        comment('#of-deep', 'names its file', { parentItem: { '@id': './run/raw/deep/c.csv' } }),
        comment('#of-folder', 'names its folder', { parentItem: './run/raw/' }),
      ],
    });
    expect([differences, report.problems]).toEqual([[], []]);
    const run = entries.find(({ title }) => title === 'Run');
    const shown = entries.map(({ source, parent, values }) => [source, parent, values['#publisher.file']]);
    const spike = entries.find(({ source }) => source === 'spike at 3 s');
    expect(new Map(shown.map(([source, ...others]) => [source, others]))).toEqual(
      new Map<string, unknown[]>([
        ['of today', [undefined, undefined]],
        ['', [undefined, undefined]],
        ['spike at 3 s', [run?.id, 'a.csv']],
        ['seen', [spike?.id, undefined]],
        ['alone', [run?.id, 'b.csv']],
        ['inline', [run?.id, 'b.csv']],
        ['empty', [run?.id, 'd.csv']],
        ['names its file', [run?.id, 'c.csv']],
        ['names its folder', [run?.id, 'raw']],
        ['on all', [undefined, 'all.csv']],
      ]),
    );
    expect(run?.files).toEqual(['a.csv', 'b.csv', 'c.csv', 'd.csv']);
  });

  test.each([
    ['http://schema.org/', 'http://schema.org/'],
    ['https://schema.org/', ''],
    ['schema:', 'schema:'],
  ])('types as %s… and keys as %s… are those of short names', async (type, key) => {
    const node = (id: string, types: string | string[], values: object) => ({
      '@id': id,
      '@type': [types].flat().map((one) => type + one),
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [key + name, value])),
    });
    const { entries, report, differences } = await bring({
      root: { hasPart: references('./run/') },
      files: { 'run/a.csv': 'a' },
      nodes: [
        node('./run/', ['Thing', 'Dataset'], {
          name: [{ '@value': 'Run' }],
          text: 'of today',
          dateCreated: '2024-05-01',
          author: '#mia',
          hasPart: references('./run/a.csv', './run/sub/', './run/gone.csv'),
          comment: references('#c'),
        }),
        node('./run/sub/', 'Dataset', { name: 'Sub', text: 'within', dateCreated: '2024-05-03', author: 'Tom' }),
        node('./run/a.csv', 'File', { name: 'a.csv', comment: { '@type': `${type}Comment`, text: 'on it' } }),
        node('./run/gone.csv', 'MediaObject', { name: 'gone.csv' }),
        node('#c', 'Comment', { text: 'seen', dateCreated: '2024-05-02' }),
        node('#mia', 'Person', { name: 'Mia' }),
      ],
    });
    expect(entries).toMatchObject([
      { title: 'Run', source: 'of today', owner: 'Mia', files: ['a.csv'], parent: undefined },
      { source: 'on it', parent: 1, values: { '#publisher.file': 'a.csv' } },
      { source: 'seen', parent: 1 },
      { title: 'Sub', source: 'within', owner: 'Tom', parent: 1 },
    ]);
    expect(report.problems.map(({ text }) => text)).toEqual([expect.stringContaining('“gone.csv”')]);
    expect(differences).toHaveLength(1);
  });

  test('types as references, paths with backslashes and texts by language are read', async () => {
    const { entries, report, differences } = await bring({
      root: { hasPart: references('.\\run\\') },
      files: { 'run/a.csv': 'a' },
      nodes: [
        {
          '@id': './run/',
          '@type': { '@id': 'https://schema.org/Dataset' },
          name: { en: 'Run', 'de-CH': 'Lauf' },
          text: { en: 'one', de: 'eins' },
          dateCreated: '2024-05-01',
          hasPart: references('.\\run\\a.csv'),
        },
        { '@id': '.\\run\\a.csv', '@type': [{ '@id': 'schema:MediaObject' }] },
      ],
    });
    expect([differences, report.problems]).toEqual([[], []]);
    expect(entries).toMatchObject([{ title: 'Run, Lauf', source: 'one\n\neins', files: ['a.csv'] }]);
  });

  test('a comment is the same one in a later archive with more of them', async () => {
    const comment = (text: string) => ({ '@type': 'Comment', text, dateCreated: '2024-05-02T10:00:00Z' });
    await bring(book({ comment: comment('one') }));
    const { entries, differences } = await bring(book({ comment: [comment('new'), comment('one'), comment('one')] }));
    expect(differences).toEqual([]);
    expect(entries.map(({ source }) => source)).toEqual(['of today', 'one', 'new', 'one']);
  });

  test('a comment without an id that names its node', async () => {
    const { nodes, root } = book({});
    const comment = { '@type': 'Comment', text: 'seen', dateCreated: '2024-05-02', parentItem: { '@id': './run/' } };
    const { entries } = await bring({ root, nodes: [...nodes, comment] });
    expect(entries).toMatchObject([{ source: 'of today' }, { source: 'seen', parent: 1 }]);
  });

  test('parts, with their files, and files that have no node at all', async () => {
    const { entries, report, differences } = await bring({
      root: {
        hasPart: {
          ...dataset('./run/', { name: 'Run', text: 'of today', dateCreated: '2024-05-01' }),
          hasPart: [fileNode('./a.txt', { contentSize: 1 }), './b.txt', { '@id': './c.png', '@type': 'ImageObject' }],
        },
      },
      files: { 'a.txt': 'a', 'b.txt': 'b', 'c.png': 'c' },
      nodes: [],
    });
    expect([differences, report.problems]).toEqual([[], []]);
    expect(entries).toMatchObject([{ title: 'Run', source: 'of today', files: ['a.txt', 'b.txt', 'c.png'] }]);
  });

  test('a node that is described elsewhere is that one, and a difference is reported', async () => {
    const { nodes, root } = book({
      comment: [
        { '@id': '#c', '@type': 'Comment', text: 'short' },
        { '@id': '#d', text: 'equal' },
      ],
    });
    const comment = (id: string, text: string) => ({ '@id': id, '@type': 'Comment', text, dateCreated: '2024-05-02' });
    const { entries, report } = await bring({ root, nodes: [...nodes, comment('#c', 'long'), comment('#d', 'equal')] });
    expect(entries.map(({ source }) => source)).toEqual(['of today', 'long', 'equal']);
    expect(report.problems.map(({ text }) => text).join(' ')).toContain(
      'several nodes, of which the first was read: “#c”.',
    );
  });

  test('references that lead nowhere are reported', async () => {
    const { entries, report } = await bring(
      book({ comment: references('#gone'), hasPart: references('./lost.txt'), description: { '@id': '#text' } }),
    );
    expect(entries).toHaveLength(1);
    const said = [...report.problems, ...report.remarks].map(({ text }) => text).join('\n');
    for (const one of ['#gone', 'lost.txt', '#text']) expect(said).toContain(one);
  });

  test('texts and names in several languages, and values without a name, are all kept', async () => {
    const { entries } = await bring(
      book({
        name: [
          { '@value': 'Run', '@language': 'en' },
          { '@value': 'Lauf', '@language': 'de' },
        ],
        text: ['one', 'two'],
        variableMeasured: ['beam current', { '@type': 'PropertyValue', value: '3 mA' }],
        step: {
          '@type': 'HowToStep',
          itemListElement: [
            { '@type': 'HowToDirection', text: 'open' },
            { '@type': 'HowToDirection', text: 'close' },
          ],
        },
        temperature: { maxValue: 300 },
      }),
    );
    expect(entries).toMatchObject([
      {
        title: 'Run, Lauf',
        source: 'one\n\ntwo',
        values: {
          '#publisher.variableMeasured': 'beam current; 3 mA',
          '#publisher.step': 'open, close',
          '#publisher.temperature': '{"maxValue":300}',
        },
      },
    ]);
  });
});

test.each([
  ['2024', '2024-01-01T00:00:00.000Z'],
  ['20240501', '2024-05-01T00:00:00.000Z'],
  ['20240501T120000Z', '2024-05-01T12:00:00.000Z'],
  ['20240501T1200+0200', '2024-05-01T10:00:00.000Z'],
  ['20240501120000', '2024-05-01T12:00:00.000Z'],
  ['2024-05', '2024-05-01T00:00:00.000Z'],
  ['2024-05-01 12:00:00,5', '2024-05-01T12:00:00.500Z'],
  ['2024/05/01 12:00', '2024-05-01T12:00:00.000Z'],
  ['May 1, 2024 12:00 PM', '2024-05-01T12:00:00.000Z'],
  ['Wed, 01 May 2024 12:00:00 +0200', '2024-05-01T10:00:00.000Z'],
  [1_714_557_600, '2024-05-01T10:00:00.000Z'],
  [1_714_557_600_000, '2024-05-01T10:00:00.000Z'],
  [['soon', '2024-05-01'], '2024-05-01T00:00:00.000Z'],
])('the date %j is %s in every time zone', (date, expected) => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  try {
    expect(new Date(dateOf({ dateCreated: date }) ?? Number.NaN).toISOString()).toBe(expected);
  } finally {
    vi.unstubAllEnvs();
  }
});

test.each(['05/01/2024', 'soon', '1234567', '99999999', { year: 2024 }])(
  '%j is not a date, which is reported',
  (date) => {
    const remarks: string[] = [];
    noteUnreadDates({ dateCreated: date }, (sentence) => remarks.push(sentence));
    expect(dateOf({ dateCreated: date })).toBeUndefined();
    expect(remarks).toHaveLength(1);
  },
);
