interface Named {
  readonly name: string;
  readonly owner: string;
  readonly state: string;
}

/**
 * The parts of an entry that its digest covers: everything that the entry shows except the number of the version, which
 * is in the record.
 */
export interface DigestibleEntry {
  readonly id: number;
  readonly owner: string;
  readonly ownerName?: string | undefined;
  readonly source: string;
  readonly description: string;
  readonly title: string;
  readonly level: string;
  readonly state: string;
  readonly createdDate: number;
  readonly modifyDate: number | null;
  readonly modifiedBy: string | null;
  readonly events: readonly { readonly name: string; readonly instant: number }[];
  readonly logbooks: readonly Named[];
  readonly tags: readonly Pick<Named, 'name' | 'state'>[];
  readonly properties: readonly (Named & {
    readonly attributes: readonly {
      readonly name: string;
      readonly value: string | null;
      readonly state: string;
      readonly sample?: DigestibleSample | undefined;
    }[];
  })[];
  readonly attachments: readonly {
    readonly id: string;
    readonly filename: string;
    readonly fileMetadataDescription?: string | null | undefined;
    readonly size: number;
    readonly contentType: string;
    readonly checksum: string;
    readonly width?: number | undefined;
    readonly height?: number | undefined;
  }[];
  readonly devices?: readonly string[] | undefined;
  readonly run?: { readonly status: string; readonly blocks: number; readonly changedDate: number } | undefined;
  readonly automatic?: true | undefined;
}

interface DigestibleSample {
  readonly numbers?: readonly string[] | undefined;
  readonly text?: string | undefined;
  readonly index?: number | undefined;
  readonly units?: string | undefined;
  readonly severity: string;
  readonly instant: number;
}

/**
 * The parent of a reply; null: the entry is not a reply. Undefined: the digest does not cover the parent, because an
 * earlier version of the program computed the digest.
 */
export type ReplyLink = number | null | undefined;

/**
 * The keys of a stored entry and of the objects in it, each with the field of the digest that covers it; the record
 * covers the version. Derived values must occur in the covered fields.
 */
export const coveredKeys = {
  entry: {
    id: 'head',
    owner: 'head',
    ownerName: 'head',
    source: 'text',
    description: 'text',
    title: 'title',
    level: 'head',
    state: 'head',
    createdDate: 'head',
    modifyDate: 'head',
    modifiedBy: 'head',
    events: 'head',
    logbooks: 'head',
    tags: 'head',
    properties: 'properties',
    attachments: 'attachment',
    devices: 'derived',
    run: 'head',
    automatic: 'head',
    version: 'record',
  },
  run: { status: 'head', blocks: 'head', changedDate: 'head' },
  event: { name: 'head', instant: 'head' },
  logbook: { name: 'head', owner: 'head', state: 'head' },
  tag: { name: 'head', state: 'head' },
  property: { name: 'properties', owner: 'properties', state: 'properties', attributes: 'properties' },
  attribute: { name: 'properties', value: 'properties', state: 'properties', sample: 'properties' },
  sample: {
    numbers: 'properties',
    text: 'properties',
    index: 'properties',
    units: 'properties',
    severity: 'properties',
    instant: 'properties',
  },
  attachment: {
    id: 'attachment',
    filename: 'attachment',
    fileMetadataDescription: 'attachment',
    size: 'attachment',
    contentType: 'attachment',
    checksum: 'attachment',
    width: 'attachment',
    height: 'attachment',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldName | 'record' | 'derived'>>>>;

/** Whether the digest covers everything in the document of an entry, which then has no other keys and none twice. */
export function isCoveredWholly(document: string, entry: DigestibleEntry): boolean {
  const { events, logbooks, tags, properties, attachments, devices = [], run = {} } = entry;
  return (
    document === JSON.stringify(entry) &&
    [entry].every(hasKeysOf(coveredKeys.entry)) &&
    hasKeysOf(coveredKeys.run)(run) &&
    events.every(hasKeysOf(coveredKeys.event)) &&
    logbooks.every(hasKeysOf(coveredKeys.logbook)) &&
    tags.every(hasKeysOf(coveredKeys.tag)) &&
    properties.every(hasKeysOf(coveredKeys.property)) &&
    properties.every(({ attributes }) => attributes.every(isCoveredAttribute)) &&
    attachments.every(hasKeysOf(coveredKeys.attachment)) &&
    devices.every((name) => typeof name === 'string' && occursIn(entry, name))
  );
}

function occursIn({ title, description, properties }: DigestibleEntry, name: string): boolean {
  const isIn = (text: string | null) => text?.includes(name) ?? false;
  return (
    isIn(title) || isIn(description) || properties.some(({ attributes }) => attributes.some(({ value }) => isIn(value)))
  );
}

function isCoveredAttribute(attribute: DigestibleEntry['properties'][number]['attributes'][number]): boolean {
  const { sample = {} } = attribute;
  return hasKeysOf(coveredKeys.attribute)(attribute) && hasKeysOf(coveredKeys.sample)(sample);
}

/** Whether an attachment has no key that digests do not cover. */
export const isCoveredAttachment = (attachment: object): boolean => hasKeysOf(coveredKeys.attachment)(attachment);

/**
 * Returns the canonical JSON of an attachment without its description, because imported entries may describe the same
 * file differently.
 */
export function attachmentText(attachment: DigestibleEntry['attachments'][number]): string {
  return JSON.stringify(attachmentValue({ ...attachment, fileMetadataDescription: undefined }));
}

const hasKeysOf =
  (covered: object) =>
  (value: object): boolean =>
    Object.keys(value).every((key) => Object.hasOwn(covered, key));

/** The parts of an entry. Each except `head` can be removed while the others stay provable. */
export type FieldName = 'head' | 'title' | 'text' | 'properties' | 'attachment';

export interface EntryField {
  readonly name: FieldName;
  /** The keys of its objects are in the order of canonical JSON (RFC 8785). */
  readonly value: unknown;
}

/** The texts of an entry as `JSON.stringify` encodes them, in UTF-8. */
export interface EncodedTexts {
  readonly source: Uint8Array;
  readonly description: Uint8Array;
}

/** Position of the text among the fields. */
export const textIndex = 2;
/** Position of the properties among the fields. */
export const propertiesIndex = 3;
/** Position of the first attachment among the fields. */
export const attachmentsIndex = 4;

/** Whether this is the name of the property that holds the group of an entry, in any spelling. */
export const isGroupProperty = (name: string): boolean => name.trim().toLowerCase() === 'log entry group';

/**
 * Splits an entry into the fields of its digest: `head` (who, when, parent, level, logbooks, tags and events), `title`,
 * `text` and `properties`, followed by an `attachment` for each file.
 */
export function listFields(entry: DigestibleEntry, inReplyTo: ReplyLink): EntryField[] {
  const { title, source, description, properties, attachments } = entry;
  const own = { title, properties, attachments } satisfies Record<
    KeyIn<'title' | 'properties' | 'attachment'>,
    unknown
  >;
  return [
    headField(entry, inReplyTo),
    { name: 'title', value: own.title },
    { name: 'text', value: { description, source } satisfies Record<KeyIn<'text'>, unknown> },
    { name: 'properties', value: own.properties.map(propertyValue) },
    ...own.attachments.map((attachment): EntryField => ({ name: 'attachment', value: attachmentValue(attachment) })),
  ];
}

/** Returns the first field, the only one that depends on the parent. */
export function headField(entry: DigestibleEntry, inReplyTo: ReplyLink): EntryField {
  return { name: 'head', value: headOf(entry, inReplyTo) };
}

/** Returns the name of a field, followed by its canonical JSON. */
export function canonicalField({ name, value }: EntryField): string {
  return `${name} ${JSON.stringify(value)}`;
}

/** Returns what `canonicalField` returns for the field `text`, in UTF-8 and in parts. */
export function canonicalTexts({ source, description }: EncodedTexts): (string | Uint8Array)[] {
  return ['text {"description":', description, ',"source":', source, '}'];
}

type EntryKeys = typeof coveredKeys.entry;
/** Keys of an entry that a field covers. A field that lacks one of them is a compile error. */
type KeyIn<F extends FieldName> = { [K in keyof EntryKeys]: EntryKeys[K] extends F ? K : never }[keyof EntryKeys];

function headOf(entry: DigestibleEntry, inReplyTo: ReplyLink): unknown {
  const { run } = entry;
  return {
    // Absent when undefined, as `run` is.
    automatic: entry.automatic,
    createdDate: entry.createdDate,
    events: entry.events.map(({ name, instant }) => ({ instant, name })),
    id: entry.id,
    // Absent when undefined.
    inReplyTo,
    level: entry.level,
    logbooks: entry.logbooks.map(({ name, owner, state }) => ({ name, owner, state })),
    modifiedBy: entry.modifiedBy,
    modifyDate: entry.modifyDate,
    owner: entry.owner,
    // Absent when undefined.
    ownerName: entry.ownerName,
    run: run && { blocks: run.blocks, changedDate: run.changedDate, status: run.status },
    state: entry.state,
    tags: entry.tags.map(({ name, state }) => ({ name, state })),
  } satisfies Record<KeyIn<'head'> | 'inReplyTo', unknown>;
}

function propertyValue({ name, owner, state, attributes }: DigestibleEntry['properties'][number]): unknown {
  return {
    attributes: attributes.map((attribute) => ({
      name: attribute.name,
      // Absent when undefined.
      sample: attribute.sample && sampleValue(attribute.sample),
      state: attribute.state,
      value: attribute.value,
    })),
    name,
    owner,
    state,
  };
}

function sampleValue({ numbers, text, index, units, severity, instant }: DigestibleSample): unknown {
  // Absent when undefined.
  return { index, instant, numbers, severity, text, units } satisfies Record<keyof typeof coveredKeys.sample, unknown>;
}

function attachmentValue(attachment: DigestibleEntry['attachments'][number]): unknown {
  return {
    checksum: attachment.checksum,
    contentType: attachment.contentType,
    fileMetadataDescription: attachment.fileMetadataDescription,
    filename: attachment.filename,
    // Absent when undefined.
    height: attachment.height,
    id: attachment.id,
    size: attachment.size,
    width: attachment.width,
  } satisfies Record<keyof typeof coveredKeys.attachment, unknown>;
}
