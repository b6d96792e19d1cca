import { wildcardTest } from '../../packages/search-language/wildcard.js';
import type { AttachmentFilter, Facet, Pattern, PatternList, PropertyPattern } from '../search/query.js';
import { type Kind, kinds, separator } from './search-terms.js';

/** Pattern for the terms of a kind; without wildcards, it matches one name. */
export type TermPattern = readonly [kind: Kind, pattern: Pattern];

/** Kinds of the values that are compared as a whole, by query field. */
export const valueKinds = {
  owners: kinds.owner,
  levels: kinds.level,
  logbooks: kinds.logbook,
  tags: kinds.tag,
  devices: kinds.device,
} as const;

/** Kinds of the values that are counted, by query field. */
export const facetKinds = { ...valueKinds, properties: kinds.property } as const satisfies Record<Facet, Kind>;

export const isFacet = (key: string): key is Facet => key in facetKinds;

export function termPatterns(values: PatternList): TermPattern[] {
  if (values.key === 'properties') return values.patterns.map(propertyTerm);
  if (values.key === 'attachments') return values.patterns.map(attachmentTerm);
  const kind = valueKinds[values.key];
  return values.patterns.map((pattern) => [kind, pattern]);
}

function propertyTerm({ name, attribute, value }: PropertyPattern): TermPattern {
  // A lone `*` restricts nothing.
  const [ofName, ofAttribute, ofValue] = [name, attribute, value].map((part) =>
    part?.hasWildcards && part.text === '*' ? undefined : part,
  );
  const any: Pattern = { text: '*', hasWildcards: true };
  const path = (...parts: (Pattern | undefined)[]): Pattern => ({
    text: parts.map((part) => (part ?? any).text).join(separator),
    hasWildcards: parts.some((part) => (part ?? any).hasWildcards),
  });
  if (ofValue) return [kinds.attributeValue, path(ofName, ofAttribute, ofValue)];
  if (ofAttribute) return [kinds.attribute, path(ofName, ofAttribute)];
  return [kinds.property, path(ofName)];
}

function attachmentTerm(attachments: AttachmentFilter): TermPattern {
  if (attachments.kind === 'filename') {
    const { pattern } = attachments;
    // `*.png` is the usual search for file names. A wildcard would exceed the maximum number of terms per pattern.
    return /^\*\.[^.*?]+$/.test(pattern.text)
      ? [kinds.ending, { ...pattern, hasWildcards: false }]
      : [kinds.filename, pattern];
  }
  if (attachments.kind === 'media') return [kinds.media, { text: attachments.media, hasWildcards: false }];
  return [kinds.flag, { text: 'attachment', hasWildcards: false }];
}

/** Separators of the words of a name, as a character class for regular expressions in JavaScript and Lucene. */
export const wordSeparators = ' !-/:-@\\[-`{-~';

/** Whether names of this kind are also found by a single word. */
export const isFoundByWord = (kind: Kind): boolean => kind === kinds.level || kind === kinds.device;

/** Returns a test for names that contain a word matching the pattern. */
export function wordTest(pattern: string): (name: string) => boolean {
  const passes = wildcardTest(pattern);
  const separators = new RegExp(`[${wordSeparators}]+`);
  return (name) => name.split(separators).some((word) => word !== '' && passes(word));
}

/** Formats a term name as users write it in a query. */
export function readable(name: string): string {
  return name.replaceAll(separator, '.');
}
