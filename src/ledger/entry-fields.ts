interface Named {
  readonly name: string;
  readonly owner: string;
  readonly state: string;
}

/** An entry as far as its digest covers it: all that it shows but the number of the version, which its record has. */
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
    readonly attributes: readonly { readonly name: string; readonly value: string | null; readonly state: string }[];
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
}

/** The parts of an entry, each of which can be removed while the others stay provable. */
export type FieldName = 'head' | 'title' | 'text' | 'properties' | 'attachment';

export interface EntryField {
  readonly name: FieldName;
  /** The keys of its objects are in the order of canonical JSON (RFC 8785). */
  readonly value: unknown;
}

/** The place of the properties among the fields. */
export const propertiesPlace = 3;

/** Whether this is the name of the property by which entries belong to a group, in any spelling. */
export const isGroupProperty = (name: string): boolean => name.trim().toLowerCase() === 'log entry group';

/**
 * Splits an entry into the fields of its digest: `head` (who, when, level, logbooks, tags and events), `title`, `text`
 * and `properties`, followed by an `attachment` for each file.
 */
export function listFields(entry: DigestibleEntry): EntryField[] {
  const { title, source, description, properties, attachments } = entry;
  return [
    { name: 'head', value: headOf(entry) },
    { name: 'title', value: title },
    { name: 'text', value: { description, source } },
    { name: 'properties', value: properties.map(propertyValue) },
    ...attachments.map((attachment): EntryField => ({ name: 'attachment', value: attachmentValue(attachment) })),
  ];
}

/** The canonical JSON of a field, after its name. */
export function canonicalField({ name, value }: EntryField): string {
  return `${name} ${JSON.stringify(value)}`;
}

function headOf(entry: DigestibleEntry): unknown {
  return {
    createdDate: entry.createdDate,
    events: entry.events.map(({ name, instant }) => ({ instant, name })),
    id: entry.id,
    level: entry.level,
    logbooks: entry.logbooks.map(({ name, owner, state }) => ({ name, owner, state })),
    modifiedBy: entry.modifiedBy,
    modifyDate: entry.modifyDate,
    owner: entry.owner,
    // Absent when undefined.
    ownerName: entry.ownerName,
    state: entry.state,
    tags: entry.tags.map(({ name, state }) => ({ name, state })),
  };
}

function propertyValue({ name, owner, state, attributes }: DigestibleEntry['properties'][number]): unknown {
  return {
    attributes: attributes.map((attribute) => ({
      name: attribute.name,
      state: attribute.state,
      value: attribute.value,
    })),
    name,
    owner,
    state,
  };
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
  };
}
