import { Fault, quoted } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';

/** The content of an entry that a client has sent, before names are resolved and anything is stored. */
export interface EntryDraft {
  readonly title: string;
  /** The `source` or, when it is absent or empty, the `description`. */
  readonly text: string;
  /** Exactly as sent; undefined when absent. */
  readonly source: string | undefined;
  /** Exactly as sent; undefined when absent. */
  readonly description: string | undefined;
  /** Undefined: the default level. */
  readonly level: string | undefined;
  readonly logbooks: readonly string[];
  readonly tags: readonly string[];
  readonly properties: readonly PropertyDraft[];
  /** Milliseconds since the epoch. */
  readonly events: readonly { readonly name: string; readonly instant: number }[];
}

export interface PropertyDraft {
  readonly name: string;
  readonly attributes: readonly { readonly name: string; readonly value: string | null }[];
}

export const entryLimits = {
  titleLength: 2_000,
  nameLength: 255,
  logbooks: 500,
  tags: 1_000,
  properties: 500,
  attributes: 1_000,
  attributeValueLength: 100_000,
  events: 1_000,
} as const;

/** Checks limits and required fields. @throws Fault invalid `entry.…` */
export function checkDraft(draft: EntryDraft): void {
  if (draft.title.trim() === '') {
    throw new Fault('invalid', 'entry.missing-title', 'The entry has no title. Add a title.');
  }
  checkLength('title', draft.title, entryLimits.titleLength);
  if (draft.logbooks.length === 0) {
    throw new Fault('invalid', 'entry.no-logbook', 'The entry has no logbook. Add at least one.');
  }
  checkLength('level', draft.level ?? '', entryLimits.nameLength);
  checkParts(draft);
}

/** Checks the rules that apply to templates as well as entries. @throws Fault invalid with an `entry.…` code */
export function checkParts(draft: Pick<EntryDraft, 'logbooks' | 'tags' | 'properties' | 'events'>): void {
  checkCount('logbooks', draft.logbooks.length, entryLimits.logbooks);
  checkCount('tags', draft.tags.length, entryLimits.tags);
  checkCount('properties', draft.properties.length, entryLimits.properties);
  checkCount('events', draft.events.length, entryLimits.events);
  const attributes = draft.properties.flatMap((property) => property.attributes);
  checkCount('attributes', attributes.length, entryLimits.attributes);
  for (const named of [...draft.properties, ...attributes, ...draft.events]) {
    if (named.name.trim() === '') {
      throw new Fault(
        'invalid',
        'entry.missing-name',
        'A property, attribute or event has no name. Give each of them a name.',
      );
    }
    checkLength('name', named.name, entryLimits.nameLength);
  }
  for (const attribute of attributes) {
    checkLength(`value of ${quoted(attribute.name)}`, attribute.value ?? '', entryLimits.attributeValueLength);
  }
}

function checkCount(what: string, count: number, max: number): void {
  if (count > max) {
    throw limitFault('invalid', `entry.too-many-${what}`, {
      refused: `The entry has ${count} ${what}.`,
      limit: { amount: `${max} ${what}`, setting: undefined, countedFor: 'each entry, regardless of the client' },
    });
  }
}

/** @throws Fault invalid `entry.too-long` when the text has more than `max` UTF-16 code units */
export function checkLength(what: string, text: string, max: number): void {
  if (text.length > max) {
    throw limitFault('invalid', 'entry.too-long', {
      refused: `The ${what} is ${text.length} characters long.`,
      limit: { amount: `${max} characters`, setting: undefined, countedFor: `each ${what}, regardless of the client` },
    });
  }
}
