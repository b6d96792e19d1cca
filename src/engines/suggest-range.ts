import { partsOf } from '../../packages/search-language/tokenize.js';
import { groupPropertyName } from '../entries/entry.js';
import { foldCase } from '../kernel/text.js';
import type { SuggestRequest } from '../search/suggestions.js';
import { type Field, fields, type Kind, kinds, separator } from './search-terms.js';

/** Terms from which suggestions are taken. */
export interface TermRange {
  readonly kind: Kind;
  readonly field: Field;
  readonly prefix: string;
}

export function suggestRange({ key, prefix }: SuggestRequest): TermRange {
  if (key === 'title' || key === 'text') {
    const field = key === 'title' ? fields.title : fields.description;
    return { kind: kinds.word, field, prefix: partsOf(prefix).at(-1) ?? '' };
  }
  if (key !== 'property') return { kind: kinds[key], field: 0, prefix: foldCase(prefix.trimStart()) };
  const [name = '', attribute, ...value] = prefix.split('.');
  const parts =
    attribute === undefined ? [name] : value.length === 0 ? [name, attribute] : [name, attribute, value.join('.')];
  const kind = ([kinds.property, kinds.attribute, kinds.attributeValue] as const)[parts.length - 1] as Kind;
  const last = parts.length - 1;
  const folded = parts.map((part, at) => foldCase(at === last ? part.trimStart() : part.trim()));
  return { kind, field: 0, prefix: folded.join(separator) };
}

const groupProperty = foldCase(groupPropertyName);

/**
 * Whether a term may be suggested: not an empty value, and not the property that links entries, which no user fills in.
 */
export function isSuggested(kind: Kind, name: string): boolean {
  return name !== '' && !name.endsWith(separator) && (kind !== kinds.property || name !== groupProperty);
}
