import { execFile, spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSigningKeys, readPrivateKey } from '../../src/kernel/signing-keys.js';
import { checkProof } from '../../src/ledger/check-proof.js';
import { signCheckpoint } from '../../src/ledger/checkpoint.js';
import { type EntryProof, listEntryRecords, proveEntry, readHead } from '../../src/ledger/entry-proof.js';
import { extendLedger } from '../../src/ledger/extend-ledger.js';
import { collect } from '../fixtures/collect.js';
import { attachment, entryDraft } from '../fixtures/entries.js';
import { runCommand } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

/** Files that someone may show as a proof, to both checkers: the documented program, and the command. */

const run = promisify(execFile);
const keys = createSigningKeys();
const other = createSigningKeys();
const logbook = '5bd17d7e-8d77-4a5e-9d23-0c70e1b8f6aa';
const signedMs = Date.UTC(2026, 10, 23);

let dir: string;
let proof: EntryProof;
let signedBy: (privateKey: string) => string;

beforeAll(async () => {
  dir = await makeTempDir();
  const { storage, destroy } = await sqliteEngine.open();
  try {
    const stored = await storage.write(async (tx) => {
      await tx.attachments.insert(attachment());
      const draft = entryDraft({ title: 'Beam lost 🔬', source: 'a "text"\u0001\ud800', attachments: [attachment()] });
      const { entry } = await tx.entries.insert(draft);
      await tx.entries.edit({ ...entry, title: 'later' });
      for (let at = 0; at < 5; at += 1) await tx.entries.insert(entryDraft());
      return entry;
    });
    await storage.write((tx) => extendLedger(tx.ledger));
    const { ledger } = storage.committed;
    const [archived] = await storage.write((tx) => collect(tx.redactions.listVersions(stored.id)));
    const [first] = await listEntryRecords(ledger, stored.id);
    const head = await readHead(ledger);
    if (!archived || !first || !head) throw new Error('nothing is recorded');
    signedBy = (privateKey) =>
      signCheckpoint({ storeId: logbook, ...head, atMs: signedMs }, readPrivateKey(privateKey));
    const proven = await proveEntry(ledger, first, { ...archived, inReplyTo: null }, head.size);
    proof = { ...proven, checkpoint: signedBy(keys.privateKey) };
  } finally {
    await destroy();
  }
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

type Fields = readonly Record<string, unknown>[];

/** The bytes of a file that is not an object in JSON. */
class Raw {
  constructor(readonly content: string | Buffer) {}
}

/** Value that is shown in place of the proof. */
type Attack = () => unknown;

const text = () => JSON.stringify(proof);
const raw = (content: string) => new Raw(content);
const withField = (at: number, change: object) => {
  const fields: Fields = proof.fields as never;
  return { ...proof, fields: fields.map((field, place) => (place === at ? { ...field, ...change } : field)) };
};
const onlyField = (at: number, field: object) => ({
  ...proof,
  fields: proof.fields.map((one, place) => (place === at ? field : one)),
});
const withRecord = (change: object) => ({ ...proof, record: { ...(proof.record as object), ...change } });
const withNote = (change: (note: string) => string) => ({ ...proof, checkpoint: change(String(proof.checkpoint)) });
const hash = 'ab'.repeat(32);
const leaf = '\u2014 witness.example AAAAAAAA\n';

const [json, form, record] = [
  'it is not a proof in JSON',
  'it is not a proof of the format logbook-proof-1',
  'the record is malformed',
];
const [keysOf, missing, content] = [
  'a field has keys other than a salt and a value, or a digest',
  'a field is missing, or in another place',
  'the content is not what was recorded',
];
const [malformed, unsigned, elsewhere, outside, none] = [
  'the checkpoint is malformed',
  'the checkpoint is not signed by this key, or was changed since',
  'the checkpoint is of another tree',
  'the record is not in the tree',
  'the record is not that of a version of an entry',
];

const attacks: readonly (readonly [name: string, says: string, attack: Attack])[] = [
  ['a true digest next to a forged value', keysOf, () => withField(1, { digest: hash, value: 'Nothing happened' })],
  ['a digest next to a value, without a salt', keysOf, () => onlyField(1, { name: 'title', digest: hash, value: '' })],
  ['a field with a key more', keysOf, () => withField(1, { comment: 'Nothing happened' })],
  ['two keys in one', keysOf, () => onlyField(1, { name: 'title', 'salt value': hash })],
  ['a field without a value', keysOf, () => onlyField(1, { name: 'title', salt: 'x'.repeat(22) })],
  ['a forged value', content, () => withField(1, { value: 'Nothing happened' })],
  ['another salt', content, () => withField(1, { salt: 'x'.repeat(22) })],
  ['a salt of another form', 'a salt is malformed', () => withField(1, { salt: `${'x'.repeat(22)}\n` })],
  ['a salt that is no text', 'a salt is malformed', () => withField(1, { salt: 7 })],
  ['a digest in capitals', 'a digest is malformed', () => onlyField(1, { name: 'title', digest: hash.toUpperCase() })],
  [
    'a digest with a line after it',
    'a digest is malformed',
    () => onlyField(1, { name: 'title', digest: `${hash}\n` }),
  ],
  ['an empty digest', 'a digest is malformed', () => onlyField(1, { name: 'title', digest: '' })],
  ['no fields', missing, () => ({ ...proof, fields: [] })],
  ['invalid fields', missing, () => ({ ...proof, fields: [null, 1, 'a', []] })],
  ['fields in another order', missing, () => ({ ...proof, fields: proof.fields.toReversed() })],
  ['without the file', content, () => ({ ...proof, fields: proof.fields.slice(0, -1) })],
  ['with the file twice', content, () => ({ ...proof, fields: [...proof.fields, proof.fields.at(-1)] })],
  ['two fields in one', missing, () => ({ ...proof, fields: proof.fields.filter(({ name }) => name !== 'title') })],
  ['a hidden head', content, () => onlyField(0, { name: 'head', digest: hash })],
  ['an object as the name', missing, () => withField(1, { name: { a: 1 } })],
  ['another entry in the record', 'the record is of another entry', () => withRecord({ entry: 4711 })],
  ['another version in the record', outside, () => withRecord({ version: 2 })],
  ['another time in the record', outside, () => withRecord({ at: 0 })],
  ['another kind in the record', outside, () => withRecord({ kind: 'edited' })],
  ['a kind that entries do not have', none, () => withRecord({ kind: 'catalog' })],
  ['a subject in the record', none, () => withRecord({ subject: 'tags/a' })],
  ['a version below 1', none, () => withRecord({ version: 0 })],
  ['a record with a key more', record, () => withRecord({ by: 'admin' })],
  ['a record with true as the entry', record, () => withRecord({ entry: true })],
  ['a record with a text as the version', record, () => withRecord({ version: '1' })],
  ['a negative number', record, () => withRecord({ number: -1 })],
  ['a number beyond the tree', outside, () => withRecord({ number: 2 ** 53 - 1 })],
  ['a hash in capitals', record, () => withRecord({ previous: 'AB'.repeat(32) })],
  ['a record that is a list', record, () => ({ ...proof, record: [] })],
  ['no record', form, () => ({ ...proof, record: undefined })],
  ['a key more', form, () => ({ ...proof, title: 'Nothing happened' })],
  ['another format', form, () => ({ ...proof, format: 'logbook-proof-2' })],
  ['a list', form, () => [proof]],
  ['nothing but null', form, () => null],
  ['fields as an object', form, () => ({ ...proof, fields: {} })],
  ['no checkpoint', 'the proof has no checkpoint: it proves nothing', () => ({ ...proof, checkpoint: null })],
  ['a checkpoint that is a number', form, () => ({ ...proof, checkpoint: 1 })],
  ['a size that is a text', form, () => ({ ...proof, size: String(proof.size) })],
  ['a size that is negative', form, () => ({ ...proof, size: -1 })],
  ['another size', elsewhere, () => ({ ...proof, size: proof.size + 1 })],
  ['another root', elsewhere, () => ({ ...proof, root: hash })],
  ['a root in capitals', form, () => ({ ...proof, root: proof.root.toUpperCase() })],
  ['a shorter path', outside, () => ({ ...proof, path: proof.path.slice(1) })],
  ['a longer path', outside, () => ({ ...proof, path: [...proof.path, hash] })],
  ['a much longer path', outside, () => ({ ...proof, path: Array(5_000).fill(hash) })],
  ['no path', outside, () => ({ ...proof, path: [] })],
  ['another order of the path', outside, () => ({ ...proof, path: proof.path.toReversed() })],
  ['a path with half a hash', form, () => ({ ...proof, path: [hash.slice(1), ...proof.path] })],
  ['a path of numbers', form, () => ({ ...proof, path: [1] })],
  ['another time in the checkpoint', unsigned, () => withNote((note) => note.replace('time 2026', 'time 2025'))],
  ['another size in the checkpoint', unsigned, () => withNote((note) => note.replace(/\n\d+\n/, '\n99\n'))],
  ['another logbook in the checkpoint', unsigned, () => withNote((note) => note.replaceAll(logbook, 'other'))],
  ['the signature of another key', unsigned, () => ({ ...proof, checkpoint: signedBy(other.privateKey) })],
  ['only the signature of a witness', unsigned, () => withNote((note) => note.replace(/\u2014[\s\S]*/, leaf))],
  ['a signature cut short', unsigned, () => withNote((note) => note.replace(/.{6}\n$/, '\n'))],
  ['no signature', malformed, () => withNote((note) => note.replace(/\u2014[\s\S]*/, ''))],
  ['an empty checkpoint', malformed, () => ({ ...proof, checkpoint: '' })],
  ['a line more in the note', malformed, () => withNote((note) => note.replace('\n\n', '\nProven: all\n\n'))],
  ['a size with a zero before it', malformed, () => withNote((note) => note.replace(/\n(\d+)\n/, '\n0$1\n'))],
  ['digits of another script', malformed, () => withNote((note) => note.replace(/\n\d+\n/, '\n\u0663\n'))],
  ['something after the signatures', malformed, () => withNote((note) => `${note}Proven: all`)],
  ['a blank line after the signatures', malformed, () => withNote((note) => `${note}\n`)],
  ['lines that end as in Windows', malformed, () => withNote((note) => note.replaceAll('\n', '\r\n'))],
  ['too many signatures', malformed, () => withNote((note) => note + leaf.repeat(16))],
  ['a root with bits beyond its end', malformed, () => withNote((note) => note.replace(/(.)=\n/, '/=\n'))],
  ['a key twice', json, () => raw(text().replace('"format"', '"size":1,"format"'))],
  ['a key twice in the record', json, () => raw(text().replace('"entry"', '"entry":4711,"entry"'))],
  ['a key twice, once escaped', json, () => raw(text().replace('"entry"', '"entr\\u0079":4711,"entry"'))],
  ['a number with an exponent', json, () => raw(text().replace(/"size":(\d+)/, '"size":$1e0'))],
  ['a number with a fraction', json, () => raw(text().replace(/"size":(\d+)/, '"size":$1.0'))],
  ['a zero with a sign', json, () => raw(text().replace(/"number":\d+/, '"number":-0'))],
  ['a number with a zero before it', json, () => raw(text().replace(/"size":/, '"size":0'))],
  ['a number with a plus', json, () => raw(text().replace(/"size":/, '"size":+'))],
  ['a huge number', json, () => raw(text().replace(/"size":\d+/, `"size":${'9'.repeat(5_000)}`))],
  ['a number that no double has', json, () => raw(text().replace(/"size":\d+/, '"size":9007199254740993'))],
  ['NaN', json, () => raw(text().replace(/"size":\d+/, '"size":NaN'))],
  ['Infinity', json, () => raw(text().replace(/"size":\d+/, '"size":-Infinity'))],
  ['something after the proof', json, () => raw(`${text()}{}`)],
  ['a comma too many', json, () => raw(text().replace(/}$/, ',}'))],
  ['nothing', json, () => raw('')],
  ['a mark of the byte order', json, () => raw(`\ufeff${text()}`)],
  ['bytes that are no UTF-8', json, () => new Raw(Buffer.from(text().replace('Beam', '\u00ff'), 'latin1'))],
  [
    'half of a pair in UTF-8',
    json,
    () => new Raw(Buffer.concat([Buffer.from('["'), Buffer.from('eda080', 'hex'), Buffer.from('"]')])),
  ],
  ['a line end in a text', json, () => raw(text().replace('Beam', 'Be\nam'))],
  ['an invalid escape', json, () => raw(text().replace('Beam', '\\x42eam'))],
  ['a comment', json, () => raw(`${text()} // true`)],
  ['very deep lists', json, () => raw('['.repeat(100_000) + ']'.repeat(100_000))],
  ['lists a little too deep', json, () => raw('['.repeat(21) + ']'.repeat(21))],
  ['a blank that JSON does not know', json, () => raw(`${text()}\u00a0`)],
];

const proven: readonly (readonly [name: string, attack: Attack])[] = [
  ['the proof itself', () => proof],
  ['with blanks', () => raw(` ${JSON.stringify(proof, undefined, 2)}\r\n`)],
  ['with escapes', () => raw(text().replace('Beam', '\\u0042eam').replace('🔬', '\\ud83d\\uDD2C'))],
  ['with keys in another order', () => Object.fromEntries(Object.entries(proof).toReversed())],
  ['with the signature of a witness before', () => withNote((note) => note.replace('\n\n', `\n\n${leaf}`))],
  [
    'with another signature of the name',
    () => {
      const line = /\u2014[\s\S]*/.exec(signedBy(other.privateKey))?.[0] ?? '';
      return withNote((note) => note.replace('\n\n', `\n\n${line}`));
    },
  ],
];

const bytesOf = (shown: unknown): Buffer | string =>
  shown instanceof Raw ? Buffer.from(shown.content) : JSON.stringify(shown);

function checkHere(shown: Buffer | string): string {
  try {
    return checkProof(Buffer.from(shown), keys.publicKey).join('\n');
  } catch (error) {
    return `Not proven: ${(error as Error).message}`;
  }
}

test.each(attacks)('%s: %s', (_name, says, attack) => {
  expect(checkHere(bytesOf(attack()))).toBe(`Not proven: ${says}`);
});

test('a valid proof is accepted, in any of its forms', () => {
  const line = `Proven: entry 1, version 1, of logbook/${logbook}. Signed: time 2026-11-23T00:00:00.000Z`;
  for (const [name, attack] of proven) expect([name, checkHere(bytesOf(attack()))]).toEqual([name, line]);
});

const needsPython = test.skipIf(
  !process.env.CI && ['python3', 'openssl'].some((program) => spawnSync(program, ['--help']).error !== undefined),
);

/** Checks many files in one process of Python; prints what the program prints for each. */
const harness = `
import contextlib, io, json, sys
sys.path.insert(0, "docs/operator")
sys.dont_write_bytecode = True
import check_proof
for file in json.load(open(sys.argv[1])):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            check_proof.main(file, sys.argv[2])
        except check_proof.REFUSALS as error:
            print("Not proven: %s" % error)
    print(json.dumps(said.getvalue().strip()))
`;

needsPython('the documented program says the same of all of them', async () => {
  const shown = [...proven.map(([, attack]) => attack), ...attacks.map(([, , attack]) => attack)].map((attack) =>
    bytesOf(attack()),
  );
  await mkdir(join(dir, 'shown'));
  const files = shown.map((_, at) => join(dir, 'shown', String(at)));
  for (const [at, content] of shown.entries()) await writeFile(files[at] ?? '', content);
  const [list, key] = [join(dir, 'list'), join(dir, 'key.pub')];
  await writeFile(list, JSON.stringify(files));
  await writeFile(key, keys.publicKey);
  const { stdout } = await run('python3', ['-c', harness, list, key], { maxBuffer: 10_000_000 });
  const says = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
  expect(says).toEqual(shown.map(checkHere));
  const [first = ''] = files;
  const [command, refused] = [
    await runCommand(['check-proof', first, key]),
    await runCommand(['check-proof', list, key]),
  ];
  expect(command).toMatchObject({ code: 0, output: `${says[0]}\n` });
  expect(refused).toMatchObject({ code: 1, errors: `Not proven: ${form}\n` });
});
