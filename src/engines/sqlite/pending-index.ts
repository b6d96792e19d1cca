import type { Entry } from '../../entries/entry.js';
import { foldCase, namesOf, partsOf } from '../../search/words.js';
import type { Connection } from './database.js';
import type { CommitWork } from './write-queue.js';

type Facet = readonly [kind: string, value: string, attribute: string, attributeValue: string];

/** Stands between texts that are not one: no phrase reaches across it, and no word is it. */
const gap = '|';

/**
 * The entries whose index is written at the end of the transaction that stores them. All at once, because FTS5 writes
 * what it has gathered out at every savepoint, and one table of terms serves them all.
 */
export class PendingIndex implements CommitWork {
  private entries: Entry[] = [];

  constructor(private readonly connection: Connection) {}

  add(entry: Entry): void {
    this.entries.push(entry);
  }

  mark(): number {
    return this.entries.length;
  }

  backTo(mark: number): void {
    this.entries.length = mark;
  }

  finish(): void {
    if (this.entries.length === 0) return;
    // Of an entry that was stored more than once, the last counts.
    const entries = new Map(this.entries.map((entry) => [entry.id, entry]));
    this.entries = [];
    const terms = new Set<string>();
    const facetIds = new Map<string, number>();
    for (const entry of entries.values()) {
      writeText(this.connection, entry, terms);
      writeFacets(this.connection, entry, facetIds);
      writeEvents(this.connection, entry);
    }
    terms.delete(gap);
    this.connection.run('INSERT OR IGNORE INTO term (name) SELECT value FROM json_each(?)', JSON.stringify([...terms]));
  }
}

function writeText(connection: Connection, entry: Entry, terms: Set<string>): void {
  const columns = [[entry.title], [entry.description], otherTexts(entry)].map(termsOf);
  const [title = '', description = '', other = ''] = columns.map((column) => column.join(' '));
  connection.run(
    'INSERT OR REPLACE INTO entry_text (rowid, title, description, other) VALUES (?, ?, ?, ?)',
    entry.id,
    title,
    description,
    other,
  );
  for (const column of columns) for (const term of column) terms.add(term);
}

function writeEvents(connection: Connection, entry: Entry): void {
  connection.run('DELETE FROM entry_event WHERE entry_id = ?', entry.id);
  for (const { instant } of entry.events) {
    connection.run('INSERT OR IGNORE INTO entry_event (entry_id, instant_ms) VALUES (?, ?)', entry.id, instant);
  }
}

/** The terms by which words, phrases and wildcards find these texts. */
function termsOf(texts: readonly string[]): string[] {
  const parts = texts.flatMap((text) => [...partsOf(text), gap]);
  return [...parts, ...texts.flatMap(namesOf)];
}

function otherTexts(entry: Entry): string[] {
  return [
    entry.owner,
    entry.level,
    ...entry.logbooks.map((logbook) => logbook.name),
    ...entry.tags.map((tag) => tag.name),
    ...entry.properties.flatMap((property) => [
      property.name,
      ...property.attributes.flatMap((attribute) => [attribute.name, attribute.value]),
    ]),
    ...entry.attachments.map((attachment) => attachment.filename),
  ];
}

/** @param ids of the facets that this transaction has met, by their key */
function writeFacets(connection: Connection, entry: Entry, ids: Map<string, number>): void {
  connection.run('DELETE FROM entry_facet WHERE entry_id = ?', entry.id);
  for (const [kind, ...values] of facetsOf(entry)) {
    const facet: Facet = [kind, ...(values.map(foldCase) as [string, string, string])];
    const key = facet.join('\0');
    const id = ids.get(key) ?? facetId(connection, facet);
    ids.set(key, id);
    connection.run('INSERT OR IGNORE INTO entry_facet (facet_id, entry_id) VALUES (?, ?)', id, entry.id);
  }
}

function facetId(connection: Connection, facet: Facet): number {
  const row =
    connection.get<{ id: number }>(
      'SELECT id FROM facet WHERE kind = ? AND value = ? AND attribute = ? AND attribute_value = ?',
      ...facet,
    ) ??
    connection.get<{ id: number }>(
      'INSERT INTO facet (kind, value, attribute, attribute_value) VALUES (?, ?, ?, ?) RETURNING id',
      ...facet,
    );
  if (!row) throw new Error('a facet was neither found nor made');
  return row.id;
}

function facetsOf(entry: Entry): Facet[] {
  const plain = (kind: string, values: readonly string[]) => values.map((value): Facet => [kind, value, '', '']);
  return [
    ...plain('owner', [entry.owner]),
    ...plain('level', [entry.level]),
    ...plain(
      'logbook',
      entry.logbooks.map((logbook) => logbook.name),
    ),
    ...plain(
      'tag',
      entry.tags.map((tag) => tag.name),
    ),
    ...entry.properties.flatMap((property): Facet[] =>
      property.attributes.length === 0
        ? [['property', property.name, '', '']]
        : property.attributes.map(({ name, value }): Facet => ['property', property.name, name, value]),
    ),
    ...plain(
      'filename',
      entry.attachments.map((attachment) => attachment.filename),
    ),
    ...plain(
      'media',
      entry.attachments.map((attachment) => mediaOf(attachment.contentType)),
    ),
  ];
}

function mediaOf(contentType: string): string {
  return contentType === 'application/pdf' ? 'pdf' : (contentType.split('/')[0] ?? '');
}
