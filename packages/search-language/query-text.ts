/**
 * The language of the one search box, for the service and for clients.
 *
 *     box     = { [ "-" ] ( filter | phrase | flag | word ) }      separated by spaces
 *     filter  = key "=" values                                     such as logbook="Main Ring",operations
 *     values  = a run of characters, with spaces and literal separators only in double quotes
 *     phrase  = '"' { any character but '"' } '"'
 *     flag    = "has:attachment" | "is:" ( "reply" | "edited" | "automatic" | "running" | "done" | "failed" | "abandoned" )
 *     word    = a run of other characters; `*` and `?` in it are wildcards
 *
 * A `-` excludes. Before a digit or another `-` it is part of a word. A word that only looks like a filter, such as
 * `I=200mA`, is a word.
 */

/** Keys of filters. Each can also be written in its plural, like the parameters of a search. */
export const filterKeys = [
  'owner',
  'tag',
  'logbook',
  'level',
  'device',
  'property',
  'title',
  'attachment',
  'start',
  'end',
] as const;
export type FilterKey = (typeof filterKeys)[number];

export const queryFlags = [
  'has:attachment',
  'is:reply',
  'is:edited',
  'is:automatic',
  'is:running',
  'is:done',
  'is:failed',
  'is:abandoned',
] as const;
export type QueryFlag = (typeof queryFlags)[number];

/** Start and end of a token in the text, in UTF-16 code units. The end is exclusive. */
export interface QueryTextRange {
  readonly start: number;
  readonly end: number;
}

/** Meaning of a token, without its position. */
export type QueryTerm =
  /** `text` may contain wildcards and punctuation. */
  | { readonly kind: 'word'; readonly text: string; readonly excluded: boolean }
  | { readonly kind: 'phrase'; readonly text: string; readonly excluded: boolean }
  | { readonly kind: 'flag'; readonly flag: QueryFlag; readonly excluded: boolean }
  /** Matches any of the values, or none of them when excluded. `title`, `start` and `end` have at most one value. */
  | {
      readonly kind: 'filter';
      readonly key: FilterKey;
      readonly values: readonly string[];
      readonly excluded: boolean;
    };

export type QueryToken = QueryTerm &
  QueryTextRange & {
    /** False when it contains an unclosed double quote, which then extends to the end of the text. */
    readonly isClosed: boolean;
    /** Start of the values of a filter. For any other token, its start without the `-`. */
    readonly valueStart: number;
  };

const keyByName: ReadonlyMap<string, FilterKey> = new Map(
  filterKeys.flatMap((key) => [
    [key, key],
    [key === 'property' ? 'properties' : `${key}s`, key],
  ]),
);
const flags: ReadonlySet<string> = new Set(queryFlags);
/** Keys with a single text as their value, in which commas do not separate values. */
const singleValued: ReadonlySet<FilterKey> = new Set(['title', 'start', 'end']);

const spaces = /\s*/y;
const filterStart = /-?([a-z]+)=/iy;
const filterValues = /(?:[^\s"]|"[^"]*(?:"|$))*/y;
const phrase = /-?"[^"]*(?:"|$)/y;
const word = /[^\s"]+/y;
const excludedWord = /^-[^\p{N}-]/u;

/** Splits the text of the box into its tokens, in order. Only spaces separate them. Accepts any text. */
export function parseQueryText(text: string): QueryToken[] {
  const tokens: QueryToken[] = [];
  for (let at = lengthAt(spaces, text, 0); at < text.length; at += lengthAt(spaces, text, at)) {
    const token = readFilter(text, at) ?? readPhrase(text, at) ?? readWord(text, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** Writes terms as the text of the box. Parsing that text returns the same terms, unless they contain double quotes. */
export function formatQueryText(terms: readonly QueryTerm[]): string {
  return terms.map((term) => (term.excluded ? `-${formatTerm(term)}` : formatTerm(term))).join(' ');
}

function formatTerm(term: QueryTerm): string {
  if (term.kind === 'word') return term.text;
  if (term.kind === 'phrase') return `"${term.text.replaceAll('"', ' ')}"`;
  if (term.kind === 'flag') return term.flag;
  return `${term.key}=${term.values.map((value) => quoteValue(term.key, value)).join(',')}`;
}

/** Puts a value in quotes if needed. A value cannot contain a double quote, so a wildcard replaces it. */
function quoteValue(key: FilterKey, value: string): string {
  const plain = value.replaceAll('"', '?');
  const needsQuotes = singleValued.has(key) ? /\s/ : /[\s,;|]/;
  return needsQuotes.test(plain) ? `"${plain}"` : plain;
}

function readFilter(text: string, at: number): QueryToken | undefined {
  const [opening = '', name = ''] = matchAt(filterStart, text, at) ?? [];
  const key = keyByName.get(name.toLowerCase());
  if (key === undefined) return undefined;
  const valueStart = at + opening.length;
  const written = matchAt(filterValues, text, valueStart)?.[0] ?? '';
  return {
    kind: 'filter',
    key,
    values: readValues(key, written),
    excluded: opening.startsWith('-'),
    isClosed: quotesIn(written) % 2 === 0,
    start: at,
    end: valueStart + written.length,
    valueStart,
  };
}

function readValues(key: FilterKey, written: string): string[] {
  const items = singleValued.has(key) ? [written] : (written.match(/(?:[^,;|"]|"[^"]*(?:"|$))+/g) ?? []);
  return items.map((item) => item.replaceAll('"', '').trim()).filter((item) => item !== '');
}

function readPhrase(text: string, at: number): QueryToken | undefined {
  const written = matchAt(phrase, text, at)?.[0];
  if (written === undefined) return undefined;
  const excluded = written.startsWith('-');
  const valueStart = at + (excluded ? 1 : 0);
  const quoted = written.slice(excluded ? 1 : 0);
  const isClosed = quoted.length > 1 && quoted.endsWith('"');
  const inner = quoted.slice(1, isClosed ? -1 : undefined);
  return { kind: 'phrase', text: inner, excluded, isClosed, start: at, end: at + written.length, valueStart };
}

function readWord(text: string, at: number): QueryToken {
  const written = matchAt(word, text, at)?.[0] ?? text.slice(at);
  const excluded = excludedWord.test(written);
  const bare = excluded ? written.slice(1) : written;
  const place = { isClosed: true, start: at, end: at + written.length, valueStart: at + (excluded ? 1 : 0) };
  const flag = bare.toLowerCase();
  return isFlag(flag) ? { kind: 'flag', flag, excluded, ...place } : { kind: 'word', text: bare, excluded, ...place };
}

function isFlag(text: string): text is QueryFlag {
  return flags.has(text);
}

function quotesIn(text: string): number {
  return text.split('"').length - 1;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  return matchAt(pattern, text, at)?.[0].length ?? 0;
}
