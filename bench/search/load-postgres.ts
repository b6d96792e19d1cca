import type pg from 'pg';
import { namesOf, partsOf } from '../../packages/search-language/tokenize.js';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import type { EntryReader } from '../../src/entries/entry-store.port.js';
import { foldCase } from '../../src/kernel/text.js';
import type { PostgresServer } from '../../test/fixtures/postgres-server.js';

const tables = `
  CREATE EXTENSION pg_trgm;
  CREATE EXTENSION fuzzystrmatch;
  CREATE TABLE entry (
    id bigint NOT NULL,
    created_ms bigint NOT NULL,
    owner text NOT NULL,
    level text NOT NULL,
    logbooks text[] NOT NULL,
    tags text[] NOT NULL,
    properties text[] NOT NULL,
    title tsvector NOT NULL,
    description tsvector NOT NULL,
    anywhere tsvector NOT NULL,
    document text NOT NULL
  );
  CREATE TABLE event (entry_id bigint NOT NULL, instant_ms bigint NOT NULL);
  CREATE TABLE term (name text NOT NULL);
`;
const indexes = [
  'ALTER TABLE entry ADD PRIMARY KEY (id)',
  'CREATE INDEX ON entry (created_ms, id)',
  'CREATE INDEX ON entry (owner, created_ms, id)',
  'CREATE INDEX ON entry (level, created_ms, id)',
  ...['logbooks', 'tags', 'properties', 'title', 'description', 'anywhere'].map(
    (column) => `CREATE INDEX ON entry USING gin (${column}) WITH (fastupdate = off)`,
  ),
  'CREATE INDEX ON event (instant_ms, entry_id)',
  'CREATE INDEX ON term USING gin (name gin_trgm_ops)',
  'CREATE INDEX ON term (length(name))',
  'CREATE INDEX ON term (name text_pattern_ops)',
  'VACUUM ANALYZE entry',
  'VACUUM ANALYZE event',
  'VACUUM ANALYZE term',
  'CHECKPOINT',
];

/**
 * Fills the empty database with the first `count` entries of the store, their words as our own search reads them, and
 * indexes them.
 */
export async function loadPostgres(
  server: PostgresServer,
  client: pg.Client,
  entries: EntryReader,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  await client.query(tables);
  const terms = new Set<string>();
  const events: string[] = [];
  const rows = async function* () {
    for (let id = 1; id <= count; id++) {
      signal.throwIfAborted();
      const stored = await entries.find(id);
      if (!stored) throw new Error(`entry ${id} is not stored`);
      for (const { instant } of stored.entry.events) events.push(`${id}\t${instant}\n`);
      yield rowOf(stored, terms);
    }
  };
  await server.copy('entry', rows());
  await server.copy('event', events);
  await server.copy(
    'term',
    (function* () {
      for (const term of terms) yield `${escaped(term)}\n`;
    })(),
  );
  for (const statement of indexes) {
    signal.throwIfAborted();
    await client.query(statement);
  }
}

function rowOf({ entry, json }: StoredEntry, terms: Set<string>): string {
  const { owner, level, title, description, logbooks, tags, properties, attachments, events } = entry;
  const others = [
    owner,
    level,
    ...[...logbooks, ...tags, ...properties, ...events].map(({ name }) => name),
    ...properties.flatMap(({ attributes }) => attributes.flatMap(({ name, value }) => [name, value ?? ''])),
    ...attachments.map(({ filename }) => filename),
  ];
  const [titleWords, descriptionWords, otherWords] = [[title], [description], others].map((texts) => wordsOf(texts));
  const all = [titleWords, descriptionWords, otherWords].filter((words) => words !== undefined);
  for (const { parts, names } of all) {
    for (const term of parts) terms.add(term);
    for (const term of names) terms.add(term);
  }
  const values = properties.flatMap(({ name, attributes }) =>
    attributes.map((attribute) => propertyKey(name, attribute.name, attribute.value ?? '')),
  );
  const fields = [
    String(entry.id),
    String(entry.createdDate),
    foldCase(owner),
    foldCase(level),
    arrayOf(logbooks.map(({ name }) => foldCase(name))),
    arrayOf(tags.map(({ name }) => foldCase(name))),
    arrayOf(values.map(foldCase)),
    vectorOf(titleWords ? [titleWords] : []),
    vectorOf(descriptionWords ? [descriptionWords] : []),
    vectorOf(all),
    json.toString(),
  ];
  return `${fields.map(escaped).join('\t')}\n`;
}

export function propertyKey(name: string, attribute: string, value: string): string {
  return `${name}.${attribute}.${value}`;
}

interface Words {
  readonly parts: readonly string[];
  readonly names: readonly string[];
}

function wordsOf(texts: readonly string[]): Words {
  return { parts: texts.flatMap(partsOf), names: texts.flatMap(namesOf) };
}

/** Returns a tsvector as PostgreSQL writes it: the parts with their positions, the names without. */
function vectorOf(texts: readonly Words[]): string {
  const positions = new Map<string, number[]>();
  let position = 0;
  for (const { parts } of texts) {
    for (const part of parts) {
      position++;
      const known = positions.get(part);
      if (known) known.push(position);
      else positions.set(part, [position]);
    }
    // The gap keeps phrases from matching across two texts.
    position++;
  }
  for (const { names } of texts) for (const name of names) if (!positions.has(name)) positions.set(name, []);
  return [...positions].map(([word, at]) => (at.length === 0 ? lexeme(word) : `${lexeme(word)}:${at}`)).join(' ');
}

/** Returns a word as it stands in a tsvector or tsquery. */
export function lexeme(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function arrayOf(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`)}}`;
}

/** Escapes a field for COPY. */
function escaped(field: string): string {
  return field
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\0', '');
}
