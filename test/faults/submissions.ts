import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Entry } from '../../src/entries/entry.js';
import { type Answer, type CallOptions, call, entryForm, type FormFile } from '../fixtures/service.js';
import type { Addition, Creation, Edit, Ledger, SentFile, SentText, Submission } from './ledger.js';
import type { Random } from './random.js';

/** A submission together with the request that carries it. */
export interface Plan {
  readonly submission: Submission;
  readonly path: string;
  readonly options: CallOptions;
}

export interface PlanOptions {
  /** Sizes in bytes of its files. */
  readonly fileSizes?: readonly number[];
  /** Number of random bytes for the words of the text: two characters a byte, seven characters a word. */
  readonly textBytes?: number;
}

/** Sends a submission; rejects when the connection fails. */
export function send(base: string, { path, options }: Plan): Promise<Answer> {
  return call(`${base}${path}`, options);
}

/** Plans a new entry, or a reply: as JSON, or as a form when it has files. */
export function planCreation(random: Random, options: PlanOptions = {}, inReplyTo?: number): Plan {
  const { token, text, entry, files, bodies } = compose(random, options);
  const eventMs = random.whole(0, 2_000_000_000_000);
  const submission: Creation = { kind: 'create', token, text, eventMs, files, inReplyTo };
  const query = inReplyTo === undefined ? '' : `?inReplyTo=${inReplyTo}`;
  const sent = { ...entry, events: [{ name: 'seen', instant: eventMs }] };
  if (files.length === 0) return { submission, path: `/logs${query}`, options: { method: 'PUT', json: sent } };
  const body = entryForm({ ...sent, attachments: listed(files) }, bodies);
  return { submission, path: `/logs/multipart${query}`, options: { method: 'PUT', body } };
}

/** Plans a new text for an entry; files are added to those that the entry was last known to have. */
export function planEdit(random: Random, known: Entry, options: PlanOptions = {}): Plan {
  const { token, text, entry, files, bodies } = compose(random, options);
  const entryId = known.id;
  const attachments = files.length === 0 ? undefined : [...known.attachments, ...files];
  const submission: Edit = { kind: 'edit', token, entryId, text, attachments, files };
  if (!attachments) return { submission, path: `/logs/${entryId}`, options: { method: 'POST', json: entry } };
  const body = entryForm({ ...entry, id: entryId, attachments: listed(attachments) }, bodies);
  return { submission, path: '/logs/multipart', options: { method: 'POST', body } };
}

export function planAddition(random: Random, known: Entry, fileSize: number): Plan {
  const token = newToken(random);
  const { file, body } = newFile(random, token, 1, fileSize);
  const submission: Addition = { kind: 'attach', token, entryId: known.id, files: [file] };
  const form = new FormData();
  form.append('file', new File([body.content as string], 'of-the-part.bin'));
  form.append('filename', new Blob([JSON.stringify(file.filename)], { type: 'application/json' }));
  if (file.id !== undefined) form.append('id', file.id);
  return { submission, path: `/logs/attachments/${known.id}`, options: { method: 'POST', body: form } };
}

const unknownId = 999_999_999;

/** Plans a write request of any kind, including some that fail. */
export function planAny(ledger: Ledger, random: Random): Plan {
  const size = () => random.magnitude(1, 200_000);
  const options = { textBytes: random.magnitude(4, 2_000) };
  const files = () => Array.from({ length: random.whole(1, 2) }, size);
  const known = ledger.known();
  const kind = known.length === 0 ? random.whole(0, 54) : random.whole(0, 99);
  if (kind < 30) return planCreation(random, options);
  if (kind < 55) return planCreation(random, { ...options, fileSizes: files() });
  // Few entries are edited often, so that concurrent requests edit the same one.
  const target = random.pick(known.slice(-40));
  if (kind < 70) return planEdit(random, target, options);
  if (kind < 80) return planEdit(random, target, { ...options, fileSizes: [size()] });
  if (kind < 90) return planAddition(random, target, size());
  const parentId = kind < 95 ? target.id : unknownId;
  return planCreation(random, kind % 2 === 0 ? options : { ...options, fileSizes: files() }, parentId);
}

function compose(random: Random, { fileSizes = [], textBytes = 20 }: PlanOptions) {
  const token = newToken(random);
  const words = randomBytes(textBytes).toString('hex').match(/.{7}/g)?.join(' ') ?? 'nothing';
  const text: SentText = {
    title: `Reading ${token}`,
    source: `Reading **${token}** at 5 µm.\n\n${words}  `,
    description: `Reading ${token} at 5 µm.\n${words}`,
    tags: random.fraction() < 0.5 ? [] : ['alarm'],
  };
  const entry = {
    title: text.title,
    source: text.source,
    level: 'Info',
    logbooks: [{ name: 'operations' }],
    tags: text.tags.map((name) => ({ name })),
    properties: [{ name: 'resource', attributes: [{ name: 'name', value: token }] }],
  };
  const parts = fileSizes.map((size, index) => newFile(random, token, index + 1, size));
  return { token, text, entry, files: parts.map((part) => part.file), bodies: parts.map((part) => part.body) };
}

/** A word that occurs in only one request. */
function newToken(random: Random): string {
  return `t${randomUUID().slice(0, 8)}n${random.whole(0, 2 ** 31).toString(36)}`;
}

function newFile(random: Random, token: string, number: number, size: number): { file: SentFile; body: FormFile } {
  const content = randomBytes(size);
  const filename = `${random.pick(['Übersicht ', 'scan_', ''])}${token}-${number}.${random.pick(['bin', 'dat', 'h5'])}`;
  const checksum = createHash('sha256').update(content).digest('hex');
  // The service chooses some of the ids.
  const id = random.fraction() < 0.8 ? randomUUID() : undefined;
  return { file: { id, filename, size, checksum }, body: { name: filename, content } };
}

function listed(files: readonly SentFile[]): object[] {
  return files.map(({ id, filename }) => ({ ...(id !== undefined && { id }), filename }));
}
