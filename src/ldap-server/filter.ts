import { SearchFilter } from 'ldapts';
import { type AttributeName, covers, isSecret, parseAttributeName } from './attribute-name.js';
import { type Elements, MalformedMessage } from './ber-reader.js';
import { type Attribute, attributesNamed, type Entry } from './directory.js';
import { compareKeys, findRule, type MatchingRule, ruleOfType } from './matching-rule.js';
import { Refusal, resultCode } from './result.js';

/** Undefined when it cannot be told; a negation leaves it so (RFC 4511, section 4.5.1.7). */
type Truth = boolean | undefined;

/** A filter, ready to be asked. */
export type Filter = (entry: Entry, effort: WorkBudget) => Truth;

const maxDepth = 64;
const maxParts = 1_000;
const maxValueBytes = 8_192;
/** About a hundredth of a second. */
const maxEffort = 100_000;

/** Counts the comparisons that a filter makes for one entry: a long filter on a large group would be millions. */
export class WorkBudget {
  private left = maxEffort;

  /** @throws Refusal adminLimitExceeded */
  spend(comparisons: number): void {
    this.left -= comparisons;
    if (this.left < 0) throw new Refusal(resultCode.adminLimitExceeded, 'The filter compares too much.');
  }
}

/**
 * Reads a filter of a request. The filters of ldapts take their values as text and know one value an attribute, so
 * they are not used here.
 * @throws MalformedMessage; Refusal adminLimitExceeded
 */
export function readFilter(elements: Elements): Filter {
  return new FilterReader().read(elements, 1);
}

const unknown: Filter = () => undefined;

class FilterReader {
  private parts = 0;

  read(elements: Elements, depth: number): Filter {
    this.parts += 1;
    if (depth > maxDepth || this.parts > maxParts) {
      throw new Refusal(resultCode.adminLimitExceeded, 'The filter has too many parts.');
    }
    switch (elements.tag) {
      case SearchFilter.and:
        return and(this.readSet(elements.within(SearchFilter.and), depth + 1));
      case SearchFilter.or:
        return or(this.readSet(elements.within(SearchFilter.or), depth + 1));
      case SearchFilter.not:
        return not(this.read(elements.within(SearchFilter.not), depth + 1));
      case SearchFilter.equalityMatch:
        return readAssertion(elements.within(SearchFilter.equalityMatch), equal);
      // Without a way of its own to be approximate, equality serves (RFC 4511, section 4.5.1.7.6).
      case SearchFilter.approxMatch:
        return readAssertion(elements.within(SearchFilter.approxMatch), equal);
      case SearchFilter.greaterOrEqual:
        return readAssertion(elements.within(SearchFilter.greaterOrEqual), (name, value) =>
          ordered(name, value, (order) => order >= 0),
        );
      case SearchFilter.lessOrEqual:
        return readAssertion(elements.within(SearchFilter.lessOrEqual), (name, value) =>
          ordered(name, value, (order) => order <= 0),
        );
      case SearchFilter.substrings:
        return readSubstrings(elements.within(SearchFilter.substrings));
      case SearchFilter.present:
        return present(readName(elements.text(SearchFilter.present)));
      case SearchFilter.extensibleMatch:
        return readExtensible(elements.within(SearchFilter.extensibleMatch));
      default:
        throw new MalformedMessage('there is no such kind of filter');
    }
  }

  private readSet(elements: Elements, depth: number): Filter[] {
    const filters: Filter[] = [];
    while (elements.tag !== undefined) filters.push(this.read(elements, depth));
    return filters;
  }
}

function and(filters: readonly Filter[]): Filter {
  return (entry, effort) => {
    let truth: Truth = true;
    for (const filter of filters) {
      const part = filter(entry, effort);
      if (part === false) return false;
      if (part === undefined) truth = undefined;
    }
    return truth;
  };
}

function or(filters: readonly Filter[]): Filter {
  return (entry, effort) => {
    let truth: Truth = false;
    for (const filter of filters) {
      const part = filter(entry, effort);
      if (part === true) return true;
      if (part === undefined) truth = undefined;
    }
    return truth;
  };
}

function not(filter: Filter): Filter {
  return (entry, effort) => {
    const truth = filter(entry, effort);
    return truth === undefined ? undefined : !truth;
  };
}

function present(name: AttributeName | undefined): Filter {
  return name ? onAttributes(name, () => true) : unknown;
}

function equal(name: AttributeName, value: Buffer): Filter {
  const key = ruleOfType(name.type).keyOf(value);
  return key === undefined ? unknown : onAttributes(name, ({ keys }) => keys.has(key));
}

function ordered(name: AttributeName, value: Buffer, isMet: (order: number) => boolean): Filter {
  const key = ruleOfType(name.type).keyOf(value);
  return key === undefined
    ? unknown
    : onAttributes(name, ({ keys }, effort) => someKey(keys, effort, (held) => isMet(compareKeys(held, key))));
}

function onAttributes(name: AttributeName, matches: (attribute: Attribute, effort: WorkBudget) => boolean): Filter {
  return (entry, effort) => {
    effort.spend(1);
    for (const attribute of entry.attributes) {
      if (covers(name, attribute.name) && matches(attribute, effort)) return true;
    }
    return false;
  };
}

function someKey(keys: ReadonlySet<string>, effort: WorkBudget, matches: (key: string) => boolean): boolean {
  for (const key of keys) {
    effort.spend(1 + key.length / 256);
    if (matches(key)) return true;
  }
  return false;
}

function readAssertion(elements: Elements, matching: (name: AttributeName, value: Buffer) => Filter): Filter {
  const name = readName(elements.text());
  const value = boundedValue(elements.bytes());
  return name ? matching(name, value) : unknown;
}

/** Undefined for what is not told: whatever is asked about it, nobody can say. */
function readName(text: string): AttributeName | undefined {
  const name = parseAttributeName(text);
  return name && !isSecret(name) ? name : undefined;
}

function boundedValue(value: Buffer): Buffer {
  if (value.length > maxValueBytes)
    throw new Refusal(resultCode.adminLimitExceeded, 'A value of the filter is too long.');
  return value;
}

function readSubstrings(elements: Elements): Filter {
  const name = readName(elements.text());
  const pieces: { readonly tag: number; readonly bytes: Buffer }[] = [];
  for (const list = elements.within(); list.tag !== undefined; ) {
    const { tag } = list;
    pieces.push({ tag, bytes: boundedValue(list.bytes(tag)) });
    const isInPlace = tag === 0x81 || (tag === 0x80 && pieces.length === 1) || (tag === 0x82 && list.tag === undefined);
    if (!isInPlace || pieces.length > maxParts) throw new MalformedMessage('the pieces of a filter are out of order');
  }
  if (pieces.length === 0) throw new MalformedMessage('a filter has no piece to look for');
  const keyOfPiece = name && ruleOfType(name.type).keyOfPiece;
  if (!keyOfPiece) return unknown;
  const keys = pieces.map(({ tag, bytes }) => ({ tag, key: keyOfPiece(bytes) }));
  return onAttributes(name, (attribute, effort) =>
    someKey(attribute.keys, effort, (held) => {
      effort.spend(keys.length);
      return hasPieces(held, keys);
    }),
  );
}

function hasPieces(text: string, pieces: readonly { readonly tag: number; readonly key: string }[]): boolean {
  let at = 0;
  for (const { tag, key } of pieces) {
    if (tag === 0x82) return text.length - key.trimEnd().length >= at && text.endsWith(key.trimEnd());
    const found = tag === 0x80 ? (text.startsWith(key.trimStart()) ? 0 : -1) : text.indexOf(key, at);
    if (found < 0) return false;
    at = found + (tag === 0x80 ? key.trimStart().length : key.length);
  }
  return true;
}

function readExtensible(elements: Elements): Filter {
  const ruleName = elements.tag === 0x81 ? elements.text(0x81) : undefined;
  const typeName = elements.tag === 0x82 ? elements.text(0x82) : undefined;
  const value = boundedValue(elements.bytes(0x83));
  const alsoInName = elements.tag === 0x84 ? elements.boolean(0x84) : false;
  const name = typeName === undefined ? undefined : readName(typeName);
  if (ruleName === undefined && typeName === undefined) throw new MalformedMessage('a filter names no attribute');
  if (typeName !== undefined && name === undefined) return unknown;
  const rule = ruleName === undefined ? undefined : findRule(ruleName);
  if (ruleName !== undefined && rule === undefined) return unknown;
  return extensible(name, rule, value, alsoInName);
}

/** @param rule compares instead of the attribute's own */
function extensible(
  name: AttributeName | undefined,
  rule: MatchingRule | undefined,
  value: Buffer,
  alsoInName: boolean,
): Filter {
  const key = (rule ?? ruleOfType(name?.type ?? '')).keyOf(value);
  if (key === undefined) return unknown;
  const matches = (type: string, held: Buffer) => (rule ?? ruleOfType(type)).keyOf(held) === key;
  return (entry, effort) => {
    const attributes = name ? attributesNamed(entry, name) : entry.attributes;
    const isHeld = attributes.some((attribute) =>
      attribute.values.some((held) => {
        effort.spend(10 + held.length / 64);
        return matches(attribute.name.type, held);
      }),
    );
    return isHeld || (alsoInName && entry.name.flat().some((part) => isPart(part, name, matches)));
  };
}

function isPart(
  part: { readonly type: string; readonly value: string },
  asked: AttributeName | undefined,
  matches: (type: string, held: Buffer) => boolean,
): boolean {
  const type = parseAttributeName(part.type);
  if (!type || isSecret(type) || (asked && (asked.type !== type.type || asked.options.length > 0))) return false;
  return matches(type.type, Buffer.from(part.value));
}
