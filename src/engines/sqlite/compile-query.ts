import type { SQLInputValue } from 'node:sqlite';
import { distance } from 'fastest-levenshtein';
import { Fault, quoted } from '../../kernel/fault.js';
import type { AttachmentFilter, Pattern, PropertyPattern, Query, TextMatch, TimeWindow } from '../../search/query.js';
import type { Connection } from './database.js';

/** A condition on `entry`, with its values in order. */
interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

type Column = 'title' | 'description' | undefined;

/** More different words than this behind one wildcard are refused rather than searched for in part. */
const maxExpansion = 20_000;
/** So many alternatives in one MATCH are still quick; more are looked up one by one. */
const maxAlternatives = 50;

/**
 * The condition that the entries of a query meet. Wildcards and fuzzy words are expanded from the stored terms.
 * @param checkTime called between the steps; throws when the time is over
 */
export function compileQuery(connection: Connection, query: Query, checkTime: () => void): Condition {
  const phrases: string[] = [];
  const conditions: Condition[] = [];
  const addText = (matches: readonly TextMatch[], column: Column) => {
    for (const match of matches) {
      if (match.kind === 'phrase') phrases.push(inColumn(column, quote(match.words.join(' '))));
      else conditions.push(expandedCondition(connection, match, column, checkTime));
    }
  };
  addText(query.title, 'title');
  addText(query.description, 'description');
  addText(query.anywhere, undefined);
  if (phrases.length > 0) conditions.push(matchCondition(phrases.join(' AND ')));

  conditions.push(
    ...anyOf(query.owners.map((pattern) => valueTest('owner', pattern))),
    ...anyOf(query.levels.map((pattern) => valueTest('level', pattern))),
    ...anyOf(query.logbooks.map((pattern) => valueTest('logbook', pattern))),
    ...anyOf(query.tags.map((pattern) => valueTest('tag', pattern))),
    ...anyOf(query.properties.map(propertyTest)),
    ...anyOf(query.attachments.map(attachmentTest)),
  );
  if (query.window) conditions.push(windowCondition(query.window));
  return {
    sql: conditions.length === 0 ? 'TRUE' : conditions.map((condition) => `(${condition.sql})`).join(' AND '),
    values: conditions.flatMap((condition) => condition.values),
  };
}

export function searchTooSlow(): Fault {
  return new Fault(
    'unavailable',
    'search.too-slow',
    'The search took too long and was given up. Narrow it, for example by a time window.',
  );
}

function quote(phrase: string): string {
  return `"${phrase}"`;
}

function inColumn(column: Column, expression: string): string {
  return column === undefined ? expression : `({${column}} : ${expression})`;
}

function matchCondition(expression: string): Condition {
  return { sql: 'id IN (SELECT rowid FROM entry_text WHERE entry_text MATCH ?)', values: [expression] };
}

function expandedCondition(
  connection: Connection,
  match: Exclude<TextMatch, { kind: 'phrase' }>,
  column: Column,
  checkTime: () => void,
): Condition {
  checkTime();
  if (match.kind === 'wildcard' && /^[^*?]+\*$/.test(match.pattern)) {
    return matchCondition(inColumn(column, `${quote(match.pattern.slice(0, -1))} *`));
  }
  const terms =
    match.kind === 'wildcard'
      ? termsLike(connection, match.pattern)
      : termsNear(connection, match.word, match.maxDistance);
  if (terms.length === 0) return { sql: 'FALSE', values: [] };
  if (terms.length <= maxAlternatives) {
    return matchCondition(inColumn(column, `(${terms.map(quote).join(' OR ')})`));
  }
  const ids = new Set<number>();
  for (const term of terms) {
    checkTime();
    const rows = connection.all<{ rowid: number }>(
      'SELECT rowid FROM entry_text WHERE entry_text MATCH ?',
      inColumn(column, quote(term)),
    );
    for (const { rowid } of rows) ids.add(rowid);
  }
  return { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify([...ids])] };
}

function termsLike(connection: Connection, pattern: string): string[] {
  const rows = connection.all<{ name: string }>(
    'SELECT name FROM term WHERE name GLOB ? LIMIT ?',
    globOf(pattern),
    maxExpansion + 1,
  );
  return checkExpansion(
    pattern,
    rows.map((row) => row.name),
  );
}

function termsNear(connection: Connection, word: string, maxDistance: number): string[] {
  const rows = connection.all<{ name: string }>(
    'SELECT name FROM term WHERE length(name) BETWEEN ? AND ?',
    [...word].length - maxDistance,
    [...word].length + maxDistance,
  );
  const near = rows.map((row) => row.name).filter((name) => distance(name, word) <= maxDistance);
  return checkExpansion(word, near);
}

function checkExpansion(asked: string, terms: string[]): string[] {
  if (terms.length > maxExpansion) {
    throw new Fault(
      'invalid',
      'search.too-broad',
      `${quoted(asked)} stands for more than ${maxExpansion} different words. Write more letters of it.`,
    );
  }
  return terms;
}

/** `*` and `?` mean the same to GLOB; `[` would open a set. */
function globOf(pattern: string): string {
  return pattern.replaceAll('[', '[[]');
}

function compare(column: string, pattern: Pattern): Condition {
  return pattern.hasWildcards
    ? { sql: `${column} GLOB ?`, values: [globOf(pattern.text)] }
    : { sql: `${column} = ?`, values: [pattern.text] };
}

function valueTest(kind: string, pattern: Pattern): Condition {
  const value = compare('value', pattern);
  return { sql: `kind = '${kind}' AND ${value.sql}`, values: value.values };
}

function propertyTest(pattern: PropertyPattern): Condition {
  const parts = [
    pattern.name && compare('value', pattern.name),
    pattern.attribute && compare('attribute', pattern.attribute),
    pattern.value && compare('attribute_value', pattern.value),
  ].filter((part) => part !== undefined);
  return {
    sql: ["kind = 'property'", ...parts.map((part) => part.sql)].join(' AND '),
    values: parts.flatMap((part) => part.values),
  };
}

function attachmentTest(filter: AttachmentFilter): Condition {
  if (filter.kind === 'any') return { sql: "kind = 'filename'", values: [] };
  if (filter.kind === 'filename') return valueTest('filename', filter.pattern);
  return { sql: "kind = 'media' AND value = ?", values: [filter.media] };
}

/** Entries with a facet that passes one of the tests; nothing when there are no tests. */
function anyOf(tests: readonly Condition[]): Condition[] {
  if (tests.length === 0) return [];
  const alternatives = either(tests.map((test) => `(${test.sql})`));
  return [
    {
      sql: `id IN (SELECT entry_id FROM entry_facet WHERE facet_id IN (SELECT id FROM facet WHERE ${alternatives}))`,
      values: tests.flatMap((test) => test.values),
    },
  ];
}

/** Nested in halves: SQLite takes only so many one within the other. */
function either(conditions: readonly string[]): string {
  const [first = 'FALSE', ...more] = conditions;
  if (more.length === 0) return first;
  const middle = conditions.length >> 1;
  return `(${either(conditions.slice(0, middle))} OR ${either(conditions.slice(middle))})`;
}

function windowCondition({ startMs, endMs, includeEvents }: TimeWindow): Condition {
  const start = startMs ?? Number.MIN_SAFE_INTEGER;
  const end = endMs ?? Number.MAX_SAFE_INTEGER;
  const created = 'created_ms BETWEEN ? AND ?';
  if (!includeEvents) return { sql: created, values: [start, end] };
  return {
    sql: `${created} OR id IN (SELECT entry_id FROM entry_event WHERE instant_ms BETWEEN ? AND ?)`,
    values: [start, end, start, end],
  };
}
