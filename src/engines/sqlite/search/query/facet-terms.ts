import type { AttachmentFilter, Pattern, PropertyPattern } from '../../../../search/query.js';
import { type Kind, kinds, separator } from '../index/terms.js';

/** Matches the term of a kind with this name, or with wildcards any matching term. */
export type TermPattern = readonly [kind: Kind, pattern: Pattern];

export function propertyTerm({ name, attribute, value }: PropertyPattern): TermPattern {
  // A `*` alone constrains nothing.
  const [ofName, ofAttribute, ofValue] = [name, attribute, value].map((part) =>
    part?.text === '*' ? undefined : part,
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

export function attachmentTerm(attachments: AttachmentFilter): TermPattern {
  if (attachments.kind === 'filename') {
    const { pattern } = attachments;
    // The usual search for file names. As a wildcard it would match more terms than one pattern may.
    return /^\*\.[^.*?]+$/.test(pattern.text)
      ? [kinds.ending, { ...pattern, hasWildcards: false }]
      : [kinds.filename, pattern];
  }
  if (attachments.kind === 'media') return [kinds.media, { text: attachments.media, hasWildcards: false }];
  return [kinds.flag, { text: 'attachment', hasWildcards: false }];
}

/** Formats a term name as it is written in a query. */
export function readable(name: string): string {
  return name.replaceAll(separator, '.');
}
