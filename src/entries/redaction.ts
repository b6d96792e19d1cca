import type { Attachment } from '../attachments/attachment.js';
import { remainingNames } from './device-names.js';
import { type Entry, groupPropertyName } from './entry.js';

/** Parts of an entry that are removed from all of its versions. */
export interface RedactedParts {
  readonly title: boolean;
  readonly text: boolean;
  /** The values of all attributes of all properties. */
  readonly properties: boolean;
  readonly attachments: readonly string[];
}

/** Record of a removal: the parts, who removed them, when and why. It stays in place of the content. */
export interface Redaction {
  readonly entryId: number;
  /** Revisions of the archived versions from which something was removed, as in their records. */
  readonly versions: readonly number[];
  readonly parts: RedactedParts;
  readonly reason: string;
  /** User name of the administrator. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export type NewRedaction = Omit<Redaction, 'versions'>;

export interface StoredRedaction extends Redaction {
  /** Increases with each redaction. */
  readonly number: number;
}

/** Number of fields in the digest of an entry before its attachments: head, title, text and properties. */
const fieldsBeforeFiles = 4;

/**
 * Returns the entry without the parts.
 * @param sentence replaces title, text and values
 * @param tombstones replacements, by the id of the attachment
 */
export function withoutParts(
  entry: Entry,
  parts: RedactedParts,
  sentence: string,
  tombstones: ReadonlyMap<string, Attachment>,
): Entry {
  const without: Entry = {
    ...entry,
    ...(parts.title && { title: sentence }),
    ...(parts.text && { source: sentence, description: sentence }),
    properties: parts.properties
      ? entry.properties.map((property) => withoutValues(property, sentence))
      : entry.properties,
    attachments: entry.attachments.map((attachment) => tombstones.get(attachment.id) ?? attachment),
  };
  return { ...without, devices: remainingNames(entry.devices, without) };
}

function withoutValues(property: Entry['properties'][number], sentence: string): Entry['properties'][number] {
  // The group only links entries; no user enters its value.
  if (property.name === groupPropertyName) return property;
  const attributes = property.attributes.map(({ name, state }) => ({ name, value: sentence, state }));
  return { ...property, attributes };
}

/** Whether the field at this position in the digest of the entry is one of the parts. */
export function isPartAt(
  entry: Entry,
  { title, text, properties, attachments }: RedactedParts,
  place: number,
): boolean {
  if (place >= fieldsBeforeFiles) {
    const attachment = entry.attachments[place - fieldsBeforeFiles];
    return attachment !== undefined && attachments.includes(attachment.id);
  }
  return [false, title, text, properties][place] ?? false;
}
