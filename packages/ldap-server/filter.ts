import { SearchFilter } from 'ldapts';
import { type AttributeName, covers, isSecret, parseAttributeName } from './attribute-name.js';
import { type BerReader, MalformedMessage } from './ber-reader.js';
import { type Attribute, type Entry, findAttributes } from './directory.js';
import type { NamePart } from './distinguished-name.js';
import { compareNormalized, equalityRule, findMatchingRule } from './matching-rule.js';
import { LdapResultError, resultCode } from './result.js';

/** Result of a filter. Undefined is the “Undefined” of RFC 4511, section 4.5.1.7, which a negation does not change. */
type Truth = boolean | undefined;

export type Filter = (entry: Entry, budget: WorkBudget) => Truth;

const maxDepth = 64;
const maxParts = 1_000;
const maxValueBytes = 8_192;
/** Maximum number of comparisons, which take about 10 ms. */
const maxComparisons = 100_000;

/** Limits the comparisons of a filter with one entry, because a long filter on a large group would need millions. */
export class WorkBudget {
  private remaining = maxComparisons;

  /** @throws LdapResultError adminLimitExceeded */
  consume(comparisons: number): void {
    this.remaining -= comparisons;
    if (this.remaining < 0) {
      throw new LdapResultError(resultCode.adminLimitExceeded, 'The filter requires too many comparisons.');
    }
  }
}

/**
 * Compiles the filter of a search request. The filters of ldapts are not sufficient, because they compare only text
 * values, and only one value per attribute.
 * @throws MalformedMessage; LdapResultError adminLimitExceeded
 */
export function readFilter(reader: BerReader): Filter {
  return new FilterReader().read(reader, 1);
}

const undefinedFilter: Filter = () => undefined;

class FilterReader {
  private parts = 0;

  read(parent: BerReader, depth: number): Filter {
    this.parts += 1;
    if (depth > maxDepth || this.parts > maxParts) {
      throw new LdapResultError(resultCode.adminLimitExceeded, 'The filter has too many parts.');
    }
    const tag = parent.nextTag;
    if (tag === SearchFilter.present) return present(parseName(parent.readText(tag)));
    const reader = parent.readConstructed(tag);
    switch (tag) {
      case SearchFilter.and:
        return combine(this.readAll(reader, depth + 1), false);
      case SearchFilter.or:
        return combine(this.readAll(reader, depth + 1), true);
      case SearchFilter.not:
        return negate(this.read(reader, depth + 1));
      case SearchFilter.equalityMatch:
      // There is no approximate matching, so equality applies (RFC 4511, section 4.5.1.7.6).
      case SearchFilter.approxMatch:
        return readComparison(reader, ({ normalizedValues }, value) => normalizedValues.has(value));
      case SearchFilter.greaterOrEqual:
        return readComparison(reader, (attribute, value, budget) =>
          someValue(attribute, budget, (stored) => compareNormalized(stored, value) >= 0),
        );
      case SearchFilter.lessOrEqual:
        return readComparison(reader, (attribute, value, budget) =>
          someValue(attribute, budget, (stored) => compareNormalized(stored, value) <= 0),
        );
      case SearchFilter.substrings:
        return readSubstrings(reader);
      case SearchFilter.extensibleMatch:
        return readExtensible(reader);
      default:
        throw new MalformedMessage('unknown filter type');
    }
  }

  private readAll(reader: BerReader, depth: number): Filter[] {
    const filters: Filter[] = [];
    while (reader.nextTag !== undefined) filters.push(this.read(reader, depth));
    return filters;
  }
}

/** @param decisive the result of a single part that decides the whole: false for “and”, true for “or” */
function combine(filters: readonly Filter[], decisive: boolean): Filter {
  return (entry, budget) => {
    let truth: Truth = !decisive;
    for (const filter of filters) {
      const part = filter(entry, budget);
      if (part === decisive) return decisive;
      if (part === undefined) truth = undefined;
    }
    return truth;
  };
}

function negate(filter: Filter): Filter {
  return (entry, budget) => {
    const truth = filter(entry, budget);
    return truth === undefined ? undefined : !truth;
  };
}

function present(name: AttributeName | undefined): Filter {
  return name ? someAttribute(name, () => true) : undefinedFilter;
}

function readComparison(
  reader: BerReader,
  matches: (attribute: Attribute, value: string, budget: WorkBudget) => boolean,
): Filter {
  const name = parseName(reader.readText());
  const assertion = readValue(reader);
  if (!name) return undefinedFilter;
  const value = equalityRule(name.type).normalize(assertion);
  if (value === undefined) return undefinedFilter;
  return someAttribute(name, (attribute, budget) => matches(attribute, value, budget));
}

function someAttribute(name: AttributeName, matches: (attribute: Attribute, budget: WorkBudget) => boolean): Filter {
  return (entry, budget) => {
    budget.consume(1);
    for (const attribute of entry.attributes) {
      if (covers(name, attribute.name) && matches(attribute, budget)) return true;
    }
    return false;
  };
}

function someValue({ normalizedValues }: Attribute, budget: WorkBudget, matches: (value: string) => boolean): boolean {
  for (const value of normalizedValues) {
    budget.consume(1 + value.length / 256);
    if (matches(value)) return true;
  }
  return false;
}

/** @returns undefined also for a secret attribute, because every filter on it is Undefined */
function parseName(text: string): AttributeName | undefined {
  const name = parseAttributeName(text);
  return name && !isSecret(name) ? name : undefined;
}

function readValue(reader: BerReader, tag?: number): Buffer {
  const value = reader.readBytes(tag);
  if (value.length <= maxValueBytes) return value;
  throw new LdapResultError(resultCode.adminLimitExceeded, 'A value in the filter is too long.');
}

const initialTag = 0x80;
const anyTag = 0x81;
const finalTag = 0x82;

interface Substring {
  readonly tag: number;
  readonly text: string;
}

function readSubstrings(reader: BerReader): Filter {
  const name = parseName(reader.readText());
  const rule = name && equalityRule(name.type);
  const substrings: Substring[] = [];
  for (const list = reader.readConstructed(); list.nextTag !== undefined; ) {
    const tag = list.nextTag;
    const value = readValue(list, tag);
    substrings.push({ tag, text: rule?.normalizeSubstring?.(value) ?? '' });
    const isInOrder =
      tag === anyTag ||
      (tag === initialTag && substrings.length === 1) ||
      (tag === finalTag && list.nextTag === undefined);
    if (!isInOrder || substrings.length > maxParts) {
      throw new MalformedMessage('the substrings of a filter are out of order');
    }
  }
  if (substrings.length === 0) throw new MalformedMessage('a substring filter has no substrings');
  if (!name || !rule?.normalizeSubstring) return undefinedFilter;
  return someAttribute(name, (attribute, budget) =>
    someValue(attribute, budget, (value) => {
      budget.consume(substrings.length);
      return containsInOrder(value, substrings);
    }),
  );
}

function containsInOrder(value: string, substrings: readonly Substring[]): boolean {
  let position = 0;
  for (const { tag, text } of substrings) {
    if (tag === finalTag) {
      const end = text.trimEnd();
      return value.length - end.length >= position && value.endsWith(end);
    }
    const wanted = tag === initialTag ? text.trimStart() : text;
    const found = tag === initialTag ? (value.startsWith(wanted) ? 0 : -1) : value.indexOf(wanted, position);
    if (found < 0) return false;
    position = found + wanted.length;
  }
  return true;
}

function readExtensible(reader: BerReader): Filter {
  const ruleName = reader.nextTag === 0x81 ? reader.readText(0x81) : undefined;
  const typeName = reader.nextTag === 0x82 ? reader.readText(0x82) : undefined;
  const value = readValue(reader, 0x83);
  const includesDn = reader.nextTag === 0x84 ? reader.readBoolean(0x84) : false;
  if (ruleName === undefined && typeName === undefined) {
    throw new MalformedMessage('an extensible filter has neither a matching rule nor an attribute');
  }
  const rule = ruleName === undefined ? undefined : findMatchingRule(ruleName);
  const name = typeName === undefined ? undefined : parseName(typeName);
  if ((ruleName !== undefined && !rule) || (typeName !== undefined && !name)) return undefinedFilter;
  // The rule replaces the equality rule of each attribute.
  const normalize = (type: string, bytes: Buffer) => (rule ?? equalityRule(type)).normalize(bytes);
  const wanted = normalize(name?.type ?? '', value);
  if (wanted === undefined) return undefinedFilter;
  return (entry, budget) => {
    const attributes = name ? findAttributes(entry, name) : entry.attributes;
    const isMatch = attributes.some((attribute) =>
      attribute.values.some((stored) => {
        budget.consume(10 + stored.length / 64);
        return normalize(attribute.name.type, stored) === wanted;
      }),
    );
    if (isMatch || !includesDn) return isMatch;
    return namePartsFor(entry, name).some(({ type, value }) => normalize(type, Buffer.from(value)) === wanted);
  };
}

/** Returns the parts of an entry's DN that are values of the attribute, or of any attribute when no name is given. */
function namePartsFor(entry: Entry, name: AttributeName | undefined): NamePart[] {
  return entry.name.flat().flatMap(({ type, value }) => {
    const part = parseName(type);
    return part && (!name || covers(name, part)) ? [{ type: part.type, value }] : [];
  });
}
