import { deviceWordsIn } from '../../packages/search-language/device-words.js';
import { longestLiteral, wildcardTest } from '../../packages/search-language/wildcard.js';
import { deviceLimits } from './device-options.js';
import type { Entry } from './entry.js';

export type NamingParts = Pick<Entry, 'title' | 'description'> & {
  readonly properties: readonly { readonly attributes: readonly { readonly value: string | null }[] }[];
};

/** Maximum number of examined characters of an entry, and of different words in it that may be names. */
const maxExaminedChars = 131_072;
const maxCandidates = 1_000;

/** Recognises the names of devices by wildcard patterns and a list, in bounded time for any text. */
export class DeviceNames {
  private readonly tests: readonly ((name: string) => boolean)[];
  private readonly exceptions: readonly ((name: string) => boolean)[];
  /** Matches each text that contains the longest literal part of a pattern; undefined: there are no patterns. */
  private readonly literals: RegExp | undefined;

  /**
   * @param patterns a pattern after `-` excludes the names that it matches
   * @param listed names that are recognised as well, except plain words and numbers
   */
  constructor(
    patterns: readonly string[],
    private readonly listed?: { has(name: string): boolean },
  ) {
    const wanted = patterns.filter((pattern) => !pattern.startsWith('-'));
    this.tests = wanted.map(wildcardTest);
    this.exceptions = patterns.filter((one) => one.startsWith('-')).map((one) => wildcardTest(one.slice(1)));
    const literals = wanted.map((pattern) => longestLiteral(pattern).replace(/[^\p{L}\p{N}]/gu, escapeChar));
    this.literals = wanted.length > 0 ? new RegExp(literals.join('|'), 'u') : undefined;
  }

  /** Returns the names in an entry, each once, in the order of its parts; undefined for none. */
  findIn(entry: NamingParts): readonly string[] | undefined {
    const { listed, literals } = this;
    if (!literals && !listed) return undefined;
    const names = new Set<string>();
    const seen = new Set<string>();
    let remainingChars = maxExaminedChars;
    const toResult = () => (names.size > 0 ? [...names] : undefined);
    for (const text of textsOf(entry)) {
      if (remainingChars === 0) break;
      const examined = text.slice(0, remainingChars);
      remainingChars -= examined.length;
      if (!listed && !literals?.test(examined)) continue;
      for (const { word } of deviceWordsIn(examined, listed ? undefined : literals)) {
        const mayBeName = this.isListed(word) || literals?.test(word);
        if (!mayBeName || seen.has(word)) continue;
        if (seen.size === maxCandidates || names.size === deviceLimits.names) return toResult();
        seen.add(word);
        if (this.matches(word)) names.add(word);
      }
    }
    return toResult();
  }

  /** Whether this is a name that would be recognised in a text. */
  isDevice(name: string): boolean {
    const [first] = deviceWordsIn(name);
    return first?.word === name && this.matches(name);
  }

  /** Whether a pattern excludes this name. */
  isExcluded(name: string): boolean {
    return this.exceptions.some((matches) => matches(name));
  }

  private matches(name: string): boolean {
    // A link has a colon, as device names do, but is not a name.
    if (name.length > deviceLimits.nameLength || name.includes('://')) return false;
    const isWanted = this.tests.some((matches) => matches(name)) || this.isListed(name);
    return isWanted && !this.isExcluded(name);
  }

  private isListed(name: string): boolean {
    return this.listed?.has(name) === true && /\p{L}/u.test(name) && /[^\p{L}]/u.test(name);
  }
}

/** Returns the names that still occur in the entry. */
export function remainingNames(
  names: readonly string[] | undefined,
  entry: NamingParts,
): readonly string[] | undefined {
  const remaining = names?.filter((name) => occursIn(entry, name)) ?? [];
  return remaining.length > 0 ? remaining : undefined;
}

function occursIn(entry: NamingParts, name: string): boolean {
  return textsOf(entry).some((text) => text.includes(name));
}

function textsOf({ title, description, properties }: NamingParts): string[] {
  return [title, description, ...properties.flatMap(({ attributes }) => attributes.map(({ value }) => value ?? ''))];
}

const escapeChar = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
