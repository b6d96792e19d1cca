import type { AttachmentFilter, Pattern, PropertyPattern } from '../../../../search/query.js';
import { type Kind, kinds, separator } from '../index/terms.js';

/** A term of some kind; with wildcards any that matches. */
export type TermPattern = readonly [kind: Kind, pattern: Pattern];

export function propertyTerm({ name, attribute, value }: PropertyPattern): TermPattern {
  // A star alone asks for nothing.
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
    // Hardly anything else is asked of file names, and far more of them end alike than a wildcard may stand for.
    return /^\*\.[^.*?]+$/.test(pattern.text)
      ? [kinds.ending, { ...pattern, hasWildcards: false }]
      : [kinds.filename, pattern];
  }
  if (attachments.kind === 'media') return [kinds.media, { text: attachments.media, hasWildcards: false }];
  return [kinds.trait, { text: 'attachment', hasWildcards: false }];
}

/** As a property is written in a query. */
export function readable(name: string): string {
  return name.replaceAll(separator, '.');
}
