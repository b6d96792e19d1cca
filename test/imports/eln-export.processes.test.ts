import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findElnProblems, type Loose, readCrate } from '../fixtures/eln-rules.js';
import { fillCatalog, fillEntries, retireNames } from '../fixtures/filled-source.js';
import { expectVerified } from '../fixtures/ledger-records.js';
import { runCommand } from '../fixtures/process.js';
import { copyDataDir, makeTempDir, TestService } from '../fixtures/service.js';
import { unzip } from '../fixtures/unzip.js';

const keysUrl = 'https://log.example.org/.well-known/keys.json';
let source: string;
let files: string;
let replies: readonly [number, number, number];
beforeAll(async () => {
  source = await makeTempDir();
  files = await makeTempDir();
  const service = await TestService.start({}, source);
  await fillCatalog(service);
  await fillEntries(service, 0, 40);
  await retireNames(service);
  const attachments = [
    { id: 'one', filename: '../etc/pass wd:?.txt'.replaceAll('/', '_') },
    { id: 'two', filename: 'CON.txt' },
    { id: 'three', filename: 'con.TXT' },
  ];
  const contents = attachments.map(({ filename }) => ({ name: filename, content: 'x' }));
  const { body } = await service.sendForm(
    'PUT',
    { title: 'Odd files', logbooks: [{ name: 'operations' }], attachments },
    contents,
  );
  const first = (body as { id: number }).id;
  const second = (await service.create({ title: 'An answer', source: 'yes' }, `?inReplyTo=${first}`)).id;
  const third = (await service.create({ title: 'Another', source: '' }, `?inReplyTo=${second}`)).id;
  replies = [first, second, third];
  await service.stop({ keepData: true });
});
afterAll(async () => {
  for (const dir of [source, files]) await rm(dir, { recursive: true, force: true });
});

async function exportEln(name: string, ...options: string[]) {
  const file = join(files, name);
  const { code, output, errors } = await runCommand([
    'export',
    file,
    '--format',
    'eln',
    '--data-dir',
    source,
    ...options,
  ]);
  expect({ code, errors: errors.replace(/.*entries\n/g, '') }).toEqual({ code: 0, errors: '' });
  return { file, output, content: await unzip(file) };
}

describe('an .eln file', () => {
  test.each(['1.1', '1.2'])('for RO-Crate %s follows every rule of the format', async (version) => {
    const { content } = await exportEln(
      `rules ${version}.eln`,
      '--ro-crate',
      version,
      '--public-url',
      'https://log.example.org',
    );
    expect(findElnProblems(content)).toEqual([]);
    const { root, graph } = readCrate(content);
    expect(root).toBe(`rules_${version}/`);
    const crate = JSON.parse(String(content.get(`${root}ro-crate-metadata.json`)));
    expect(crate['@context']).toBe(`https://w3id.org/ro/crate/${version}/context`);
    const [descriptor] = graph as [Loose];
    expect(descriptor).toMatchObject({ conformsTo: { '@id': `https://w3id.org/ro/crate/${version}` }, version: '1.0' });
    for (const name of content.keys()) expect(name).toMatch(/^[A-Za-z0-9._/-]+$/);
  });

  test('names the address, the author, the tags and the level of an entry, and what answers it', async () => {
    const { content } = await exportEln('replies.eln', '--public-url', 'https://log.example.org');
    const nodes = new Map(readCrate(content).graph.map((node) => [node['@id'], node]));
    const [first, second, third] = replies.map((id) => nodes.get(`./entry-${id}/`)) as [Loose, Loose, Loose];
    expect(first).toMatchObject({
      '@type': 'Dataset',
      name: 'Odd files',
      url: `https://log.example.org/entries/${replies[0]}`,
      comment: [{ '@id': `#comment-${replies[1]}` }],
      about: { '@id': '#logbook-operations' },
    });
    expect(second).toMatchObject({ text: 'yes', mentions: [{ '@id': first['@id'] }] });
    const comments = [second, third].map(({ identifier }) => nodes.get(`#comment-${identifier}`));
    expect(comments).toMatchObject([
      { text: 'yes', parentItem: { '@id': first['@id'] }, mainEntity: { '@id': second['@id'] } },
      { text: 'Another', parentItem: { '@id': second['@id'] }, mainEntity: { '@id': third['@id'] } },
    ]);
    // An empty value is not allowed.
    expect('text' in third).toBe(false);
    const parts = (nodes.get('./') as { readonly hasPart: Loose[] }).hasPart.map((part) => part['@id']);
    expect(parts).toEqual(expect.arrayContaining([first, second, third].map((node) => node['@id'])));
    const names = (first.hasPart as Loose[]).map((part) => nodes.get(String(part['@id']))?.name);
    expect(names).toEqual(['.._etc_pass wd:?.txt', 'CON.txt', 'con.TXT']);
  });

  test('has no address that is not known, and no node of a file that is damaged', async () => {
    const damaged = join(files, 'damaged');
    await copyDataDir(source, damaged);
    const checksum = createHash('sha256').update('x').digest('hex');
    await rm(join(damaged, 'attachments', checksum.slice(0, 2), checksum));
    const file = join(files, 'plain.eln');
    const { code, output } = await runCommand(['export', file, '--format', 'eln', '--data-dir', damaged]);
    expect([code, output]).toEqual([2, expect.stringContaining(`“CON.txt” (${checksum}) is missing`)]);
    const content = await unzip(file);
    expect(findElnProblems(content)).toEqual([]);
    const { graph } = readCrate(content);
    expect(graph.some((node) => 'url' in node || node.name === 'CON.txt')).toBe(false);
  });

  test.each([
    [['--ro-crate', '2.0'], 64, '--ro-crate: 2.0 is not 1.1 or 1.2'],
    [['--sign-key', '/no/such/key', '--keys-url', keysUrl], 78, '--sign-key: /no/such/key does not exist'],
    [['--sign-key', 'k'], 64, '--sign-key needs --keys-url'],
    [['--sign-key', 'k', '--keys-url', 'ftp://x y'], 64, '--keys-url: ftp://x y is not an address'],
  ])('is refused with %j', async (options, expected, message) => {
    const command = ['export', join(files, 'never.eln'), '--format', 'eln', '--data-dir', source, ...options];
    const { code, errors } = await runCommand(command);
    expect([code, errors]).toEqual([expected, expect.stringContaining(message)]);
  });
});

describe('an .eln file of this program', () => {
  test('brings each entry elsewhere as it was, but for its id and its earlier versions', async () => {
    const { file } = await exportEln('move.eln');
    const elsewhere = join(files, 'elsewhere');
    for (const counts of ['43 new', '0 new, 0 changed, 43 as before']) {
      const { code, output } = await runCommand(['import', file, '--data-dir', elsewhere]);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(counts) });
    }
    expect(await readAll(elsewhere)).toEqual(await readAll(source));
    await expectVerified(elsewhere);
  });
});

/** Returns the entries by their dates, with the position of what they reply to in place of ids. */
async function readAll(dataDir: string) {
  const file = join(files, 'compared.zip');
  await runCommand(['export', file, '--data-dir', dataDir]);
  const lines = String((await unzip(file)).get('entries.ndjson'))
    .trim()
    .split('\n');
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
  const all = lines.map((one): any => JSON.parse(one));
  const places = new Map(all.map(({ entry }) => [entry.id, `${entry.createdDate} ${entry.title}`]));
  return all
    .map(({ entry: { id, version: _, ...entry }, inReplyTo }) => ({
      ...entry,
      place: places.get(id),
      parent: places.get(inReplyTo),
    }))
    .sort((one, other) => (one.place < other.place ? -1 : 1));
}

const hasMinisign = spawnSync('minisign', ['-v']).status === 0;

describe('a signed .eln file', () => {
  test.skipIf(!hasMinisign && process.env.CI === undefined)(
    'is verified by minisign, and a changed one is not',
    async () => {
      const key = join(files, 'key.pem');
      await runCommand(['signing-key', key]);
      const { content, output } = await exportEln('signed.eln', '--sign-key', key, '--keys-url', keysUrl);
      expect(findElnProblems(content)).toEqual([]);
      const [, publicKey = ''] = /-P (\S+)/.exec(output) ?? [];
      const metadata = join(files, 'ro-crate-metadata.json');
      const bytes = content.get('signed/ro-crate-metadata.json') as Buffer;
      await writeFile(`${metadata}.minisig`, content.get('signed/ro-crate-metadata.json.minisig') as Buffer);
      const verify = async (signed: Buffer) => {
        await writeFile(metadata, signed);
        return spawnSync('minisign', ['-V', '-m', metadata, '-P', publicKey], { encoding: 'utf8' });
      };
      const { status, stdout, stderr } = await verify(bytes);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain(`Trusted comment: ${keysUrl}`);
      expect((await verify(Buffer.from(String(bytes).replace('Odd files', 'Old files')))).status).toBe(1);
    },
  );
});
