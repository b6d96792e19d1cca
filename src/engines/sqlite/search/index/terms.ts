import type { Entry } from '../../../../entries/entry.js';
import { foldCase } from '../../../../kernel/text.js';
import { termsOf } from '../../../../search/tokenize.js';
import { bucketsOf } from './event-buckets.js';

/** What a term is. The numbers are stored: never change one. */
export const kinds = {
  /** A word of a text, see words.ts. */
  word: 1,
  /** What stands in a text without a space and has several words in it, such as a device name. */
  name: 2,
  /** Two frequent words, one after the other. */
  pair: 3,
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
  /** A stretch of time with an event in it, see event-times.ts. */
  event: 13,
  trait: 14,
  /** What a file name ends with, as it is looked for: `*.png`. */
  ending: 15,
} as const;
export type Kind = (typeof kinds)[keyof typeof kinds];

/** Kinds whose terms are looked for by what stands in the middle of them. */
export const kindsWithParts: ReadonlySet<Kind> = new Set([
  kinds.word,
  kinds.name,
  kinds.attributeValue,
  kinds.filename,
]);

/** In which of its texts an entry has a word, a name or a pair; 0 for all other kinds. The numbers are stored. */
export const fields = { title: 0, description: 1, other: 2, attachment: 3 } as const;
export type Field = (typeof fields)[keyof typeof fields];
export const fieldCount = 4;

/** What holds for an entry as a whole; every entry is `any`. */
export type Flag = 'any' | 'attachment' | 'reply' | 'edited';

/** Between the parts of a property; `foldCase` leaves no control character in the parts themselves. */
export const separator = '\u001f';

/** A term that the index has. */
export interface FoundTerm {
  readonly id: number;
  readonly name: string;
}

/** An entry as the index sees it. */
export interface SearchableEntry {
  readonly id: number;
  readonly view: Entry;
  readonly isReply: boolean;
  /** What could be read in its attachments, one text for each. */
  readonly attachmentTexts: readonly string[];
}

export type OnTerm = (kind: Kind, field: number, name: string, label: string) => void;

/** The texts of an entry by field; no phrase reaches from one into the next. */
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
      ...attributes.flatMap((attribute) => [attribute.name, attribute.value]),
    ]),
    ...view.attachments.map(({ filename }) => filename),
  ];
}

/**
 * Calls `onTerm` with every term of an entry; with some more than once.
 * @param isFrequent whether pairs of this word with its like are terms of this entry
 */
export function forEachTerm(entry: SearchableEntry, isFrequent: (word: string) => boolean, onTerm: OnTerm): void {
  for (const field of Object.values(fields)) {
    for (const text of textsOf(entry, field)) {
      const { parts, names } = termsOf(text);
      let before: string | undefined;
      for (const word of parts) {
        onTerm(kinds.word, field, word, '');
        const frequent = isFrequent(word) ? word : undefined;
        if (before !== undefined && frequent !== undefined) onTerm(kinds.pair, field, pairOf(before, frequent), '');
        before = frequent;
      }
      for (const name of names) onTerm(kinds.name, field, name, '');
    }
  }
  forEachFacet(entry, (kind, name, label) => onTerm(kind, 0, name, label));
  for (const { instant } of entry.view.events)
    for (const bucket of bucketsOf(instant)) onTerm(kinds.event, 0, bucket, '');
}

export const pairOf = (one: string, other: string): string => `${one} ${other}`;
export const wordsOfPair = (pair: string): readonly string[] => pair.split(' ');

function forEachFacet(
  { view, isReply }: SearchableEntry,
  onFacet: (kind: Kind, name: string, label: string) => void,
): void {
  const trait = (name: Flag) => onFacet(kinds.trait, name, '');
  const value = (kind: Kind, label: string) => onFacet(kind, foldCase(label), label);
  trait('any');
  if (view.attachments.length > 0) trait('attachment');
  if (isReply) trait('reply');
  if (view.modifyDate !== null && view.modifyDate !== undefined) trait('edited');
  value(kinds.owner, view.owner);
  value(kinds.level, view.level);
  for (const { name } of view.logbooks) value(kinds.logbook, name);
  for (const { name } of view.tags) value(kinds.tag, name);
  // Nobody sees a space at the end of a value, and no list of values can ask for one.
  const part = (text: string) => foldCase(text.trim());
  for (const property of view.properties) {
    const name = part(property.name);
    onFacet(kinds.property, name, '');
    for (const attribute of property.attributes) {
      const path = `${name}${separator}${part(attribute.name)}`;
      onFacet(kinds.attribute, path, '');
      onFacet(kinds.attributeValue, `${path}${separator}${part(attribute.value)}`, '');
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
