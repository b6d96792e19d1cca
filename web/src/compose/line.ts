import type { DraftContent } from '../drafts/draft.ts';

/** Names that words of the line can refer to. */
export interface LineNames {
  readonly levels: readonly string[];
  readonly logbooks: readonly string[];
  readonly tags: readonly string[];
}

export type LineContent = Pick<DraftContent, 'title' | 'level' | 'logbooks' | 'tags'>;

const signs = { '!': 'levels', '@': 'logbooks', '#': 'tags' } as const;
type Sign = keyof typeof signs;

interface Word {
  readonly from: number;
  readonly to: number;
  /** Undefined: the word is part of the title. */
  readonly name: { readonly sign: Sign; readonly value: string } | undefined;
}

/**
 * Reads a line such as `Cavity 2 tripped !problem @operations #rf`: at its beginning and its end, words with `!`, `@`
 * and `#` that are names of the catalogue set level, logbooks and tags. All other words are the title. A line without
 * other words is the title as a whole.
 */
export function readLine(line: string, names: LineNames): LineContent {
  const words = wordsOf(line, names);
  const first = words.findIndex(({ name }) => name === undefined);
  const last = words.findLastIndex(({ name }) => name === undefined);
  const title = line.slice(words[first]?.from, words[last]?.to).trim();
  if (first < 0) return { title, level: '', logbooks: [], tags: [] };
  const named = words.flatMap(({ name }, at) => (name && (at < first || at > last) ? [name] : []));
  const valuesOf = (sign: Sign) => [...new Set(named.filter((one) => one.sign === sign).map(({ value }) => value))];
  return { title, level: valuesOf('!').at(-1) ?? '', logbooks: valuesOf('@'), tags: valuesOf('#') };
}

/** Writes the content as a line that `readLine` reads back. */
export function writeLine({ title, level, logbooks, tags }: LineContent): string {
  const words = [
    ...(level === '' ? [] : [nameText('!', level)]),
    ...logbooks.map((name) => nameText('@', name)),
    ...tags.map((name) => nameText('#', name)),
  ];
  return [title, ...words].filter((part) => part !== '').join(' ');
}

/** Text of a line that refers to a name. */
function nameText(sign: Sign, name: string): string {
  const isQuoted = /\s/.test(name) || isEntryNumber(sign + name);
  return isQuoted ? `${sign}"${name}"` : sign + name;
}

function wordsOf(line: string, names: LineNames): Word[] {
  return [...line.matchAll(/[!@#]"[^"]*"|\S+/g)].map(({ 0: word, index }) => ({
    from: index,
    to: index + word.length,
    name: findName(word, names),
  }));
}

function findName(word: string, names: LineNames): Word['name'] {
  const sign = word.charAt(0) as Sign;
  if (!(sign in signs) || isEntryNumber(word)) return undefined;
  const wanted = word.slice(1).replaceAll('"', '').toLowerCase();
  const value = names[signs[sign]].find((name) => name.toLowerCase() === wanted);
  return value === undefined ? undefined : { sign, value };
}

/** `#48211` is an entry, even if a tag has this name. */
const isEntryNumber = (word: string): boolean => /^#\d+$/.test(word);

/** A name that is being typed. */
export interface TypedName {
  readonly from: number;
  readonly to: number;
  readonly options: readonly string[];
  /** Whether the typed word is already a complete name. */
  readonly isComplete: boolean;
}

const maxOptions = 8;

/** Returns the names that complete the word at the cursor; undefined if there are none except the word itself. */
export function typedName(line: string, cursor: number, names: LineNames): TypedName | undefined {
  const [word = ''] = /(?:^|(?<=\s))[!@#](?:"[^"]*|[^\s"]*)$/.exec(line.slice(0, cursor)) ?? [];
  const sign = word.charAt(0) as Sign;
  if (word === '' || isEntryNumber(word)) return undefined;
  const typed = word.slice(1).replace('"', '').toLowerCase();
  const starts = (name: string) => name.toLowerCase().startsWith(typed);
  const found = names[signs[sign]].filter((name) => name.toLowerCase().includes(typed));
  const options = [...found.filter(starts), ...found.filter((name) => !starts(name))].slice(0, maxOptions);
  const isComplete = options.some((name) => name.toLowerCase() === typed);
  if (options.length === (isComplete ? 1 : 0)) return undefined;
  return {
    from: cursor - word.length,
    to: cursor + (/^[^\s"]*"?/.exec(line.slice(cursor))?.[0].length ?? 0),
    options: options.map((name) => nameText(sign, name)),
    isComplete,
  };
}
