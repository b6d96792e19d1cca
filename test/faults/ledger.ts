import { expect } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';

/** A file of an entry, as it was sent or as the service lists it. */
export interface SentFile {
  /** Undefined: the service chooses one. */
  readonly id?: string | undefined;
  readonly filename: string;
  readonly size: number;
  /** SHA-256 of the bytes, lower-case hex. */
  readonly checksum: string;
}

export interface SentText {
  /** Contains the token of this request, which no other request contains. */
  readonly title: string;
  readonly source: string;
  readonly description: string;
  readonly tags: readonly string[];
}

export interface Creation {
  readonly kind: 'create';
  readonly token: string;
  readonly text: SentText;
  readonly eventMs: number;
  readonly files: readonly SentFile[];
  readonly inReplyTo: number | undefined;
}

export interface Edit {
  readonly kind: 'edit';
  readonly token: string;
  readonly entryId: number;
  readonly text: SentText;
  /** The complete list after the request; undefined: unchanged. */
  readonly attachments: readonly SentFile[] | undefined;
  /** The files of the list that this request added. */
  readonly files: readonly SentFile[];
}

export interface Addition {
  readonly kind: 'attach';
  readonly token: string;
  readonly entryId: number;
  readonly files: readonly [SentFile];
}

/** One write request. */
export type Submission = Creation | Edit | Addition;

/** Records what was sent to a store and what it acknowledged: everything that it may and must contain. */
export class Ledger {
  private readonly submissions: Submission[] = [];
  private readonly byTitle = new Map<string, Creation | Edit>();
  private readonly changes = new Map<number, (Edit | Addition)[]>();
  private readonly answers = new Map<Submission, { readonly entry: Entry; readonly version: number }>();
  private readonly refused = new Set<Submission>();
  private readonly creationOf = new Map<number, Creation>();
  private readonly ids = new Map<Creation, number>();
  private readonly latest = new Map<number, Entry>();
  private highest = 0;

  /** Records a request before it is sent. */
  record(submission: Submission): void {
    this.submissions.push(submission);
    if (submission.kind !== 'attach') this.byTitle.set(submission.text.title, submission);
    if (submission.kind === 'create') return;
    this.changes.set(submission.entryId, [...(this.changes.get(submission.entryId) ?? []), submission]);
  }

  /** Records a response of 200 with its entry and the version in its entity tag. */
  acknowledge(submission: Submission, entry: Entry, version: number): void {
    this.answers.set(submission, { entry, version });
    if (submission.kind === 'create') this.bind(entry.id, submission);
    else expect(entry.id).toBe(submission.entryId);
    this.latest.set(entry.id, entry);
  }

  /** Records a response which says that nothing was stored. */
  refuse(submission: Submission): void {
    this.refused.add(submission);
  }

  /** Acknowledged entries, as in the last response about each. */
  known(): Entry[] {
    return [...this.latest.values()];
  }

  all(): readonly Submission[] {
    return this.submissions;
  }

  acknowledged(): number {
    return this.answers.size;
  }

  /** The largest id seen so far. */
  highestId(): number {
    return this.highest;
  }

  /** Ids of entries that must exist. */
  acknowledgedIds(): number[] {
    return [...this.latest.keys()];
  }

  /** The id that a creation was given; undefined when its entry was never seen. */
  idOf(creation: Creation): number | undefined {
    return this.ids.get(creation);
  }

  /** The request that created an entry. */
  creation(id: number): Creation {
    const creation = this.creationOf.get(id);
    if (!creation) throw new Error(`no request made entry ${id}`);
    return creation;
  }

  /**
   * Checks that the texts of a stored entry are exactly those of one request.
   * @returns that request
   */
  recognise(entry: Entry): Creation | Edit {
    const submission = this.byTitle.get(entry.title);
    if (!submission) throw new Error(`entry ${entry.id} has the title “${entry.title}”, which was never sent`);
    expect(this.refused.has(submission), `entry ${entry.id} comes from a refused request`).toBe(false);
    if (submission.kind === 'create') this.bind(entry.id, submission);
    else expect(entry.id, `“${entry.title}” was sent for another entry`).toBe(submission.entryId);
    expectText(entry, submission.text);
    return submission;
  }

  /**
   * Checks the versions of one entry, oldest first: each is the result of exactly one request on the version before,
   * no rejected request has a version, and every acknowledged one is present as it was acknowledged.
   * @returns the requests that made the versions, in the same order
   */
  explain(versions: readonly Entry[]): [Creation, ...(Edit | Addition)[]] {
    const [first, ...rest] = versions;
    if (!first) throw new Error('an entry without a version');
    this.recognise(first);
    const creation = this.creation(first.id);
    expectCreated(first, creation);
    const makers: [Creation, ...(Edit | Addition)[]] = [creation];
    const candidates = this.changes.get(first.id) ?? [];
    let before = first;
    for (const version of rest) {
      const maker = candidates.find((change) => !makers.includes(change) && mayHaveMade(change, before, version));
      if (!maker) throw new Error(`no request made this version of entry ${first.id}: ${JSON.stringify(version)}`);
      expectEdited(version, maker, before);
      makers.push(maker);
      before = version;
    }
    let newest = 0;
    for (const [index, maker] of makers.entries()) {
      expect(this.refused.has(maker), `a refused request changed entry ${first.id}`).toBe(false);
      const answer = this.answers.get(maker);
      if (!answer) continue;
      expectSame(versions[index] as Entry, answer.entry);
      expect(answer.version, `the versions of entry ${first.id} change places`).toBeGreaterThan(newest);
      newest = answer.version;
    }
    const lost = candidates.filter((change) => this.answers.has(change) && !makers.includes(change));
    expect(lost, `acknowledged changes of entry ${first.id} are lost`).toEqual([]);
    return makers;
  }

  private bind(id: number, creation: Creation): void {
    const owner = this.creationOf.get(id) ?? creation;
    expect(owner.token, `entry ${id} was another one before`).toBe(creation.token);
    const earlier = this.idOf(creation) ?? id;
    expect(earlier, `the request of “${creation.text.title}” made two entries`).toBe(id);
    this.creationOf.set(id, creation);
    this.ids.set(creation, id);
    this.highest = Math.max(this.highest, id);
  }
}

/** The id of the group that an entry belongs to. */
export function groupOf(entry: Entry): string | undefined {
  const group = entry.properties.find((property) => property.name === 'Log Entry Group');
  return group?.attributes.find((attribute) => attribute.name === 'id')?.value ?? undefined;
}

/** Removes the group: joining one is not an edit, so an entry may differ in it from what was acknowledged. */
function withoutGroup(entry: Entry): Entry {
  return { ...entry, properties: entry.properties.filter((property) => property.name !== 'Log Entry Group') };
}

function expectSame(stored: Entry, acknowledged: Entry): void {
  expect(withoutGroup(stored)).toEqual(withoutGroup(acknowledged));
  if (groupOf(acknowledged) !== undefined) expect(groupOf(stored)).toBe(groupOf(acknowledged));
}

function expectText(entry: Entry, text: SentText): void {
  const { title, source, description } = entry;
  expect({ title, source, description, tags: entry.tags.map((tag) => tag.name) }).toEqual(text);
}

function expectCreated(entry: Entry, creation: Creation): void {
  expect(entry).toMatchObject({
    owner: 'user',
    level: 'Info',
    state: 'Active',
    modifyDate: null,
    modifiedBy: null,
    events: [{ name: 'seen', instant: creation.eventMs }],
    logbooks: [{ name: 'operations', owner: 'admin', state: 'Active' }],
  });
  expectResource(entry, creation.token);
  expect(areFiles(entry, creation.files), `attachments of entry ${entry.id}`).toBe(true);
}

function expectEdited(entry: Entry, change: Edit | Addition, before: Entry): void {
  const { id, owner, createdDate, level, state, events, logbooks } = before;
  expect(entry).toMatchObject({ id, owner, createdDate, level, state, events, logbooks, modifiedBy: 'user' });
  expect(entry.modifyDate).toBeGreaterThanOrEqual(before.modifyDate ?? createdDate);
  if (change.kind === 'edit') expectResource(entry, change.token);
  if (groupOf(before) !== undefined) expect(groupOf(entry)).toBe(groupOf(before));
}

function expectResource(entry: Entry, token: string): void {
  expect(withoutGroup(entry).properties).toEqual([
    {
      name: 'resource',
      owner: 'admin',
      state: 'Active',
      attributes: [{ name: 'name', value: token, state: 'Active' }],
    },
  ]);
}

function mayHaveMade(change: Edit | Addition, before: Entry, after: Entry): boolean {
  if (change.kind === 'attach') {
    return (
      after.title === before.title &&
      after.source === before.source &&
      after.description === before.description &&
      areFiles(after, [...before.attachments, ...change.files])
    );
  }
  return (
    after.title === change.text.title &&
    after.source === change.text.source &&
    after.description === change.text.description &&
    areFiles(after, change.attachments ?? before.attachments)
  );
}

function areFiles(entry: Entry, sent: readonly SentFile[]): boolean {
  return (
    entry.attachments.length === sent.length &&
    sent.every((file, index) => {
      const attachment = entry.attachments[index];
      return (
        attachment?.filename === file.filename &&
        attachment.size === file.size &&
        attachment.checksum === file.checksum &&
        attachment.id === (file.id ?? attachment.id)
      );
    })
  );
}
