import { joinStars } from '../../packages/search-language/search-text.js';
import { limitFault } from '../kernel/limit.js';
import { foldCase } from '../kernel/text.js';
import { checkQuotes, checkStars } from './parse-search-text.js';
import type { AttachmentFilter, MediaKind, Pattern, PropertyPattern } from './query.js';
import { searchLimits } from './search-limits.js';

/**
 * Splits the values of a list at each comma, semicolon or bar outside double quotes.
 * @throws Fault invalid `search.…`
 */
export function parseList(values: readonly string[]): string[] {
  const items = values.flatMap((value) => {
    checkQuotes(value);
    return Array.from(value.matchAll(/(?:[^,;|"]|"[^"]*")+/g), ([item]) => item.replaceAll('"', '').trim());
  });
  checkValueCount(items.length);
  return items.filter((item) => item !== '');
}

/** @throws Fault invalid `search.too-many-values` */
export function checkValueCount(count: number): void {
  if (count <= searchLimits.listValues) return;
  throw limitFault('invalid', 'search.too-many-values', {
    refused: `A list has ${count} values.`,
    limit: {
      amount: `${searchLimits.listValues} values`,
      setting: undefined,
      countedFor: 'each list, regardless of the client',
    },
    advice: 'Use fewer.',
  });
}

/** @throws Fault invalid `search.too-many-wildcards` */
export function facetPattern(value: string): Pattern {
  const text = checkStars(joinStars(foldCase(value)));
  return { text, hasWildcards: /[*?]/.test(text) };
}

/** Parses `name[.attribute[.value]]`; the value may contain dots. */
export function parseProperty(value: string): PropertyPattern {
  const [name = '', attribute = '', ...rest] = value.split('.');
  const part = (text: string) => (text.trim() === '' ? undefined : facetPattern(text.trim()));
  const pattern = { name: part(name), attribute: part(attribute), value: part(rest.join('.')) };
  return {
    ...(pattern.name && { name: pattern.name }),
    ...(pattern.attribute && { attribute: pattern.attribute }),
    ...(pattern.value && { value: pattern.value }),
  };
}

const mediaKinds: ReadonlySet<string> = new Set<MediaKind>(['image', 'video', 'audio', 'text', 'pdf']);

export function parseAttachment(item: string): AttachmentFilter {
  const media = item.toLowerCase();
  if (mediaKinds.has(media)) return { kind: 'media', media: media as MediaKind };
  // As a pattern it would match every file name and exceed the limit of terms per pattern.
  if (/^\*+$/.test(item)) return { kind: 'any' };
  return { kind: 'filename', pattern: facetPattern(item) };
}
