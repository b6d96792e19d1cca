import { groupAttributeName, groupPropertyName } from '../entries/entry.js';
import type { SearchableEntry } from '../entries/searchable-entry.js';
import { foldCase } from '../kernel/text.js';
import type { FlagFilter } from '../search/query.js';

/**
 * Kinds of terms. The numbers are stored: never change one. Pairs of words are terms without a kind, see `PairTerms`.
 */
export const kinds = {
  /** A word of a text, see tokenize.ts. */
  word: 1,
  /** Several words written without a space, such as a device name. */
  name: 2,
  owner: 4,
  level: 5,
  logbook: 6,
  tag: 7,
  property: 8,
  /** `property␟attribute` */
  attribute: 9,
  /** `property␟attribute␟value` */
  attributeValue: 10,
  filename: 11,
  media: 12,
  /** A time bucket with an event in it, see event-buckets.ts. */
  event: 13,
  flag: 14,
  /** The extension of a file name, as written in a query: `*.png`. */
  ending: 15,
  /** A device name that was recognised in the entry. */
  device: 16,
} as const;
export type Kind = (typeof kinds)[keyof typeof kinds];

/** Kinds whose terms can be found by any three consecutive characters. */
export const kindsWithTrigrams: ReadonlySet<Kind> = new Set([
  kinds.word,
  kinds.name,
  kinds.attributeValue,
  kinds.filename,
  kinds.device,
]);

/** Part of an entry that contains a word, a name or a pair; 0 for all other kinds. The numbers are stored. */
export const fields = { title: 0, description: 1, other: 2, attachment: 3 } as const;
export type Field = (typeof fields)[keyof typeof fields];
export const fieldCount = 4;

/** Yes-or-no condition that an entry meets; every entry meets `any`. */
export type Flag = 'any' | FlagFilter['flag'];

/** Separates the parts of a property. The parts contain no control characters, because `foldCase` replaces them. */
export const separator = '\u001f';

const groupPath = `${foldCase(groupPropertyName)}${separator}${foldCase(groupAttributeName)}${separator}`;

/** Term that all entries of a group share: the group id as an attribute value. */
export const groupTerm = {
  nameOf: (groupId: string): string => groupPath + foldCase(groupId.trim()),
  /** Bounds of the names of all groups. */
  range: { first: groupPath, last: `${groupPath}\u{10ffff}` },
} as const;

/** A term that exists in the index. */
export interface FoundTerm {
  readonly id: number;
  readonly name: string;
}

/** Returns the texts of a field. A phrase never spans two of them. */
export function textsOf({ view, attachmentTexts }: SearchableEntry, field: Field): readonly string[] {
  if (field === fields.title) return [view.title];
  if (field === fields.description) return [view.description];
  if (field === fields.attachment) return attachmentTexts;
  return [
    view.owner,
    view.level,
    ...view.logbooks.map(({ name }) => name),
    ...view.tags.map(({ name }) => name),
    ...view.properties.flatMap(({ name, attributes }) => [
      name,
      ...attributes.flatMap((attribute) => [attribute.name, attribute.value ?? '']),
    ]),
    ...view.attachments.map(({ filename }) => filename),
  ];
}

/** Calls `onFacet` for every term of an entry that is a value, not a word. */
export function forEachFacet(
  { view, isReply }: Pick<SearchableEntry, 'view' | 'isReply'>,
  onFacet: (kind: Kind, name: string, label: string) => void,
): void {
  const flag = (name: Flag) => onFacet(kinds.flag, name, '');
  const value = (kind: Kind, label: string) => onFacet(kind, foldCase(label), label);
  flag('any');
  if (view.attachments.length > 0) flag('attachment');
  if (isReply) flag('reply');
  if (view.modifyDate !== null && view.modifyDate !== undefined) flag('edited');
  if (view.automatic) flag('automatic');
  if (view.run) flag(view.run.status);
  value(kinds.owner, view.owner);
  value(kinds.level, view.level);
  for (const { name } of view.logbooks) value(kinds.logbook, name);
  for (const { name } of view.tags) value(kinds.tag, name);
  for (const name of view.devices ?? []) value(kinds.device, name);
  // Spaces around a value are invisible, and the query language cannot express them.
  const part = (text: string) => foldCase(text.trim());
  for (const property of view.properties) {
    const name = part(property.name);
    onFacet(kinds.property, name, '');
    for (const attribute of property.attributes) {
      const path = `${name}${separator}${part(attribute.name)}`;
      onFacet(kinds.attribute, path, '');
      onFacet(kinds.attributeValue, `${path}${separator}${part(attribute.value ?? '')}`, '');
    }
  }
  for (const { filename, contentType } of view.attachments) {
    value(kinds.filename, filename);
    const [ending] = /\.[^.]+$/.exec(foldCase(filename)) ?? [];
    if (ending !== undefined) onFacet(kinds.ending, `*${ending}`, '');
    onFacet(kinds.media, mediaOf(contentType), '');
  }
}

function mediaOf(contentType: string): string {
  return contentType === 'application/pdf' ? 'pdf' : (contentType.split('/')[0] ?? '');
}
