import type pg from 'pg';
import type { TextMatch } from '../../packages/search-language/search-text.js';
import type { Pattern, PropertyPattern, Query, TimeWindow } from '../../src/search/query.js';
import type { SearchPage } from '../../src/search/search-index.port.js';
import { lexeme, propertyKey } from './load-postgres.js';

/** Answers a query in PostgreSQL: the exact count and the page, each in a statement of its own. */
export async function searchPostgres(client: pg.Client, query: Query): Promise<SearchPage> {
  const { sql, values } = await conditionOf(client, query);
  const order = query.sort === 'newest' ? 'DESC' : 'ASC';
  const counted = await client.query<{ hits: number }>(`SELECT count(*)::int AS hits FROM entry WHERE ${sql}`, values);
  const page = await client.query<{ document: string }>(
    `SELECT document FROM entry WHERE ${sql} ORDER BY created_ms ${order}, id ${order}
     LIMIT ${query.size} OFFSET ${query.from}`,
    values,
  );
  return {
    hitCount: counted.rows[0]?.hits ?? 0,
    entries: { kind: 'joined', json: Buffer.from(`[${page.rows.map((row) => row.document).join(',')}]`) },
  };
}

interface Condition {
  readonly sql: string;
  readonly values: unknown[];
}

/** Translates only conditions of benchmark rows: facets without wildcards, whole property values, no attachments. */
async function conditionOf(client: pg.Client, query: Query): Promise<Condition> {
  const { attachments, attachmentText, excluded, flags } = query;
  if ([attachments, attachmentText, excluded, flags].some((list) => list.length > 0)) {
    throw notCompared('attachments, excluded words and flags');
  }
  const values: unknown[] = [];
  const value = (one: unknown) => `$${values.push(one)}`;
  const tests: string[] = [];
  for (const column of ['title', 'description', 'anywhere'] as const) {
    const expressions: string[] = [];
    for (const match of query[column]) expressions.push(`(${await expressionOf(client, match)})`);
    if (expressions.length > 0) tests.push(`${column} @@ ${value(expressions.join(' & '))}::tsquery`);
  }
  if (query.owners.length > 0) tests.push(`owner = ANY (${value(query.owners.map(exact))}::text[])`);
  if (query.levels.length > 0) tests.push(`level = ANY (${value(query.levels.map(exact))}::text[])`);
  if (query.logbooks.length > 0) tests.push(`logbooks && ${value(query.logbooks.map(exact))}::text[]`);
  if (query.tags.length > 0) tests.push(`tags && ${value(query.tags.map(exact))}::text[]`);
  if (query.properties.length > 0) tests.push(`properties && ${value(query.properties.map(wholeValue))}::text[]`);
  if (query.window) tests.push(windowTest(query.window, value));
  return { sql: tests.length === 0 ? 'TRUE' : tests.map((test) => `(${test})`).join(' AND '), values };
}

/** Returns a match as a tsquery. Wildcards and fuzzy words are expanded first, so that the planner sees the words. */
async function expressionOf(client: pg.Client, match: TextMatch): Promise<string> {
  if (match.kind === 'phrase') return match.words.map(lexeme).join(' <-> ');
  const [, prefix] = match.kind === 'wildcard' ? (/^([^*?]+)\*$/.exec(match.pattern) ?? []) : [];
  if (prefix !== undefined) return `${lexeme(prefix)}:*`;
  const { rows } =
    match.kind === 'wildcard'
      ? await client.query<{ name: string }>('SELECT name FROM term WHERE name LIKE $1', [likePattern(match.pattern)])
      : await client.query<{ name: string }>(
          `SELECT name FROM term WHERE length(name) BETWEEN $1 AND $2
           AND levenshtein_less_equal(name, $3, $4) <= $4`,
          [
            [...match.word].length - match.maxDistance,
            [...match.word].length + match.maxDistance,
            match.word,
            match.maxDistance,
          ],
        );
  // No word has a space.
  return rows.length === 0 ? lexeme('no such word') : rows.map(({ name }) => lexeme(name)).join(' | ');
}

function likePattern(pattern: string): string {
  return pattern
    .replace(/[%_\\]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}

/** Returns a test that uses two index scans. An OR of the two conditions would scan all entries. */
function windowTest({ startMs, endMs, includeEvents }: TimeWindow, value: (one: unknown) => string): string {
  const bounds = `BETWEEN ${value(startMs ?? Number.MIN_SAFE_INTEGER)} AND ${value(endMs ?? Number.MAX_SAFE_INTEGER)}`;
  if (!includeEvents) return `created_ms ${bounds}`;
  return `id IN (SELECT id FROM entry WHERE created_ms ${bounds} UNION SELECT entry_id FROM event WHERE instant_ms ${bounds})`;
}

function exact({ text, hasWildcards }: Pattern): string {
  if (hasWildcards) throw notCompared('wildcards in facets');
  return text;
}

function wholeValue({ name, attribute, value }: PropertyPattern): string {
  if (!name || !attribute || !value) throw notCompared('parts of properties');
  return propertyKey(exact(name), exact(attribute), exact(value));
}

function notCompared(what: string): Error {
  return new Error(`PostgreSQL is not compared in ${what}`);
}
