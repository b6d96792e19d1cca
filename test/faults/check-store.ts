import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { type Answer, call } from '../fixtures/service.js';
import { type Creation, type Edit, groupOf, type Ledger, type SentFile, type Submission } from './ledger.js';

const lanes = 16;
const pageSize = 1_000;

type Entries = ReadonlyMap<number, Entry>;

/**
 * Checks that a running service stores what the ledger says: everything acknowledged, nothing that was not sent, and
 * everything complete. Checks every entry. Checks history, files and search only for entries that `submissions`
 * (default: all) created or tried to change.
 */
export async function checkStore(
  base: string,
  ledger: Ledger,
  submissions: readonly Submission[] = ledger.all(),
): Promise<void> {
  const entries = await listEntries(base);
  const holders = new Map<Submission, number>();
  for (const entry of entries.values()) {
    const maker = ledger.recognise(expectWhole(entry));
    expect(holders.get(maker), `one request created entry ${entry.id} and another`).toBeUndefined();
    holders.set(maker, entry.id);
  }
  const lost = ledger.acknowledgedIds().filter((id) => !entries.has(id));
  expect(lost, 'acknowledged entries are lost').toEqual([]);

  const touched = touchedEntries(ledger, submissions);
  const applied = new Set<Submission>();
  await forEach(touched, async (id) => {
    const entry = entries.get(id);
    if (!entry) throw new Error(`entry ${id} existed before and is missing now`);
    const versions = [...(await archivedVersions(base, entry)).toReversed(), entry];
    const makers = ledger.explain(versions);
    for (const maker of makers) applied.add(maker);
    await expectReadable(base, entry, versions.length - 1, makers[0].inReplyTo !== undefined);
    await expectFound(base, entry, ledger.recognise(entry).token);
    await expectFiles(base, id, versions);
  });
  await forEach(submissions, async (submission) => {
    if (!applied.has(submission)) await expectNothingOf(base, submission);
    else if (submission.kind !== 'attach') await expectWordsOf(base, submission, holders.get(submission));
  });
  await checkGroups(base, ledger, entries, touched);
}

/** The entries that the requests created, tried to change or replied to. */
function touchedEntries(ledger: Ledger, submissions: readonly Submission[]): Set<number> {
  const ids = new Set<number>();
  for (const submission of submissions) {
    const id = submission.kind === 'create' ? ledger.idOf(submission) : submission.entryId;
    if (id === undefined) continue;
    ids.add(id);
    if (submission.kind === 'create' && submission.inReplyTo !== undefined) ids.add(submission.inReplyTo);
  }
  return ids;
}

/** Reads every entry, page by page; returns them by id. */
async function listEntries(base: string): Promise<Entries> {
  const entries = new Map<number, Entry>();
  let hitCount = 0;
  let listed = 0;
  for (let from = 0; from === 0 || from < hitCount; from += pageSize) {
    const page = await read(`${base}/logs/search?size=${pageSize}&from=${from}&sort=up`);
    hitCount = page.body.hitCount;
    const logs = page.body.logs as Entry[];
    for (const entry of logs) entries.set(entry.id, entry);
    listed += logs.length;
  }
  expect({ listed, ids: entries.size }, 'entries by page and by id, and the number of hits').toEqual({
    listed: hitCount,
    ids: hitCount,
  });
  return entries;
}

function expectWhole(entry: Entry): Entry {
  const text = expect.any(String);
  const number = expect.any(Number);
  expect(entry).toEqual({
    id: number,
    owner: text,
    source: text,
    description: text,
    title: text,
    level: text,
    state: text,
    createdDate: number,
    modifyDate: entry.modifyDate === null ? null : number,
    modifiedBy: entry.modifyDate === null ? null : text,
    events: [{ name: text, instant: number }],
    logbooks: [{ name: text, owner: text, state: text }],
    tags: entry.tags.map(() => ({ name: text, state: text })),
    properties: entry.properties.map(() => ({
      name: text,
      owner: text,
      state: text,
      attributes: [{ name: text, value: text, state: text }],
    })),
    attachments: entry.attachments.map(() => ({
      id: text,
      filename: text,
      fileMetadataDescription: text,
      size: number,
      contentType: text,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    })),
    version: number,
  });
  return entry;
}

/** Reads the earlier versions, newest first. Expects some if the entry was edited, and otherwise none. */
async function archivedVersions(base: string, entry: Entry): Promise<Entry[]> {
  const { hitCount, logs } = (await read(`${base}/logs/archived/${entry.id}`)).body as {
    hitCount: number;
    logs: Entry[];
  };
  expect(logs.length).toBe(hitCount);
  expect(hitCount > 0, `entry ${entry.id}: modifyDate ${entry.modifyDate}, ${hitCount} archived`).toBe(
    entry.modifyDate !== null,
  );
  for (const version of logs) expect(expectWhole(version).id).toBe(entry.id);
  return logs;
}

/** Expects a read by id to return the entry as the search did, and no version to be missing. */
async function expectReadable(base: string, entry: Entry, edits: number, beganInGroup: boolean): Promise<void> {
  const answer = await read(`${base}/logs/${entry.id}`);
  expect(answer.body).toEqual(entry);
  // Joining a group later makes a version too, although it is not an edit.
  const joined = groupOf(entry) !== undefined && !beganInGroup ? 1 : 0;
  expect(versionOf(answer), `version of entry ${entry.id}`).toBe(1 + edits + joined);
}

/** Returns the version number in the entity tag of a response. */
export function versionOf(answer: Answer): number {
  return Number(/^(?:W\/)?"(\d+)"$/.exec(answer.headers.get('etag') ?? '')?.[1]);
}

/** Expects searches for its words, property, tag and files to find this entry and no other. */
async function expectFound(base: string, entry: Entry, token: string): Promise<void> {
  const params = new URLSearchParams({ text: token, title: token, properties: `resource.name.${token}` });
  for (const { name } of entry.tags) params.append('tags', name);
  const file = entry.attachments.at(-1);
  if (file) params.append('attachments', `"${file.filename}"`);
  expect(await idsFound(base, params), `search for entry ${entry.id}`).toEqual([entry.id]);
}

async function idsFound(base: string, params: URLSearchParams): Promise<number[]> {
  const { hitCount, logs } = (await read(`${base}/logs/search?${params}`)).body;
  expect(logs.length).toBe(hitCount);
  return (logs as Entry[]).map((entry) => entry.id);
}

/** Downloads each file of each version, by its id and by its name. */
async function expectFiles(base: string, entryId: number, versions: readonly Entry[]): Promise<void> {
  const files = new Map(versions.flatMap((version) => version.attachments.map((file) => [file.id, file] as const)));
  for (const file of files.values()) {
    await expectContent(`${base}/attachment/${encodeURIComponent(file.id)}`, file);
    await expectContent(`${base}/logs/attachments/${entryId}/${encodeURIComponent(file.filename)}`, file);
  }
}

async function expectContent(url: string, file: SentFile): Promise<void> {
  const response = await fetch(url);
  const content = new Uint8Array(await response.arrayBuffer());
  const checksum = createHash('sha256').update(content).digest('hex');
  expect({ status: response.status, size: content.length, checksum }, url).toEqual({
    status: 200,
    size: file.size,
    checksum: file.checksum,
  });
}

/** Expects a search for the words of a version to find the entry if its current version has them, else nothing. */
async function expectWordsOf(base: string, { token, text }: Creation | Edit, holder: number | undefined) {
  const ids = await idsFound(base, new URLSearchParams({ text: token }));
  expect(ids, text.title).toEqual(holder === undefined ? [] : [holder]);
}

/** Expects that a request without effect left neither words in the index nor a file. */
async function expectNothingOf(base: string, submission: Submission): Promise<void> {
  expect(await idsFound(base, new URLSearchParams({ query: submission.token }))).toEqual([]);
  for (const { id } of submission.files) {
    if (id !== undefined) expect((await call(`${base}/attachment/${id}`)).status).toBe(404);
  }
}

/** Expects replies to share a group with their parent, no other entry to have one, and searches to find the members. */
async function checkGroups(
  base: string,
  ledger: Ledger,
  entries: Entries,
  touched: ReadonlySet<number>,
): Promise<void> {
  const groups = new Map<string, number[]>();
  for (const entry of entries.values()) {
    const group = groupOf(entry);
    const parentId = ledger.creation(entry.id).inReplyTo;
    if (parentId !== undefined) {
      const parent = entries.get(parentId);
      expect(group, `entry ${entry.id} replies to ${parentId}`).toBe(parent ? groupOf(parent) : 'no parent');
      expect(group).toMatch(/^[0-9a-f-]{36}$/);
    }
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), entry.id]);
  }
  await forEach(groups, async ([group, members]) => {
    const roots = members.filter((id) => ledger.creation(id).inReplyTo === undefined);
    expect(roots.length, `entries ${members} are one group; those that are not replies: ${roots}`).toBe(1);
    expect(members.length, `entry ${roots} is in a group but has no reply`).toBeGreaterThan(1);
    if (!members.some((id) => touched.has(id))) return;
    const params = new URLSearchParams({ properties: `Log Entry Group.id.${group}`, size: '1000' });
    expect((await idsFound(base, params)).sort((one, other) => one - other)).toEqual(members);
  });
}

async function read(url: string): Promise<Answer> {
  const answer = await call(url, { as: null });
  expect(answer.status, `${url}: ${answer.text}`).toBe(200);
  return answer;
}

/** Does the work for all items, a few at a time. */
async function forEach<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
