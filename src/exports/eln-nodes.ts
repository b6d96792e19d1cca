import { plainTextOf } from '../../packages/markup/plain-text.js';
import type { Attachment } from '../attachments/attachment.js';
import type { Entry } from '../entries/entry.js';

export type CrateNode = Readonly<Record<string, unknown>>;

export type RoCrateVersion = '1.1' | '1.2';

/** Returns a node without the keys that have no value, which the format does not allow. */
function nodeOf(values: CrateNode): CrateNode {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => {
      if (typeof value === 'string') return value.trim() !== '';
      return value !== undefined && !(Array.isArray(value) && value.length === 0);
    }),
  );
}

const referenceTo = (id: string) => ({ '@id': id });
const commentNodeId = (id: number) => `#comment-${id}`;
const entryNodeId = (id: number) => `./entry-${id}/`;
const idFrom = (prefix: string, name: string) => `#${prefix}-${encodeURIComponent(name.toWellFormed())}`;
const logbookNodeId = (name: string) => idFrom('logbook', name);
const toTime = (ms: number) => new Date(ms).toISOString();

/** Content of the descriptor and the root of a crate. */
export interface CrateHead {
  readonly roCrate: RoCrateVersion;
  readonly storeId: string;
  readonly nowMs: number;
  /** Address of the service; undefined when it is not known. */
  readonly url: string | undefined;
}

export function describeDescriptor({ roCrate, nowMs }: CrateHead): CrateNode {
  return {
    '@id': 'ro-crate-metadata.json',
    '@type': 'CreativeWork',
    about: referenceTo('./'),
    conformsTo: referenceTo(`https://w3id.org/ro/crate/${roCrate}`),
    dateCreated: toTime(nowMs),
    sdPublisher: referenceTo('#publisher'),
    version: '1.0',
  };
}

/** @param parts the ids of all entries */
export function* describeRoot({ storeId, nowMs, url }: CrateHead, parts: readonly number[]): Generator<CrateNode> {
  yield nodeOf({ '@id': '#publisher', '@type': 'Organization', name: 'Logbook', url });
  yield {
    '@id': '#license',
    '@type': 'CreativeWork',
    name: 'No license',
    description: 'The license of the entries is not stated.',
  };
  yield {
    '@id': './',
    '@type': 'Dataset',
    name: 'Logbook',
    description: 'The entries of a logbook, with their files.',
    identifier: storeId,
    datePublished: toTime(nowMs),
    license: referenceTo('#license'),
    publisher: referenceTo('#publisher'),
    hasPart: parts.map((id) => referenceTo(entryNodeId(id))),
  };
}

export function describePerson(owner: string, name: string): CrateNode {
  return {
    '@id': idFrom('person', owner),
    '@type': 'Person',
    name: name.trim() === '' ? owner : name,
    identifier: owner,
  };
}

export function describeLogbook(name: string): CrateNode {
  return { '@id': logbookNodeId(name), '@type': 'Collection', name };
}

/** Yields the node of an entry to which others refer, but which could not be read. */
export function* describeMissing(id: number): Generator<CrateNode> {
  const values = { '@type': 'CreativeWork', name: `Entry ${id} could not be read.` };
  yield { '@id': entryNodeId(id), ...values };
  yield { '@id': commentNodeId(id), ...values };
}

/** A file of an entry, and its path below the folder of the crate. */
export interface ArchivedFile {
  readonly path: string;
  readonly attachment: Attachment;
}

export interface EntryContext {
  readonly files: readonly ArchivedFile[];
  /** Address of the entry; undefined when the address of the service is not known. */
  readonly url: string | undefined;
  readonly parent: number | undefined;
  readonly replies: readonly number[];
}

/**
 * Describes an entry with its files. A reply is both a dataset and a comment on its parent, because some programs read
 * only one of them. It is not a part of its parent, because programs follow parts of parts without a limit.
 */
export function* describeEntry(entry: Entry, { files, url, parent, replies }: EntryContext): Generator<CrateNode> {
  const values = describeValues(entry);
  const [logbook] = entry.logbooks;
  const author = entry.owner.trim() === '' ? undefined : referenceTo(idFrom('person', entry.owner));
  const dateCreated = toTime(entry.createdDate);
  yield nodeOf({
    '@id': entryNodeId(entry.id),
    '@type': 'Dataset',
    name: titleOf(entry),
    identifier: String(entry.id),
    url,
    text: entry.source,
    encodingFormat: 'text/markdown',
    author,
    dateCreated,
    dateModified: toTime(entry.modifyDate ?? entry.createdDate),
    version: String(entry.version),
    genre: entry.level,
    about: logbook && referenceTo(logbookNodeId(logbook.name)),
    isPartOf: entry.logbooks.length > 1 ? entry.logbooks.map(({ name }) => referenceTo(logbookNodeId(name))) : [],
    keywords: entry.tags.map(({ name }) => name).join(','),
    mentions: parent === undefined ? [] : [referenceTo(entryNodeId(parent))],
    comment: replies.map((id) => referenceTo(commentNodeId(id))),
    hasPart: files.map(({ path }) => referenceTo(`./${path}`)),
    variableMeasured: values.map((value) => referenceTo(String(value['@id']))),
  });
  yield* files.map(describeFile);
  yield* values;
  if (parent === undefined) return;
  yield nodeOf({
    '@id': commentNodeId(entry.id),
    '@type': 'Comment',
    name: titleOf(entry),
    author,
    dateCreated,
    text: entry.source.trim() === '' ? titleOf(entry) : entry.source,
    encodingFormat: 'text/markdown',
    parentItem: referenceTo(entryNodeId(parent)),
    mainEntity: referenceTo(entryNodeId(entry.id)),
  });
}

const titleOf = ({ id, title }: Entry) => (title.trim() === '' ? `Entry ${id}` : title);

function describeFile({ path, attachment }: ArchivedFile): CrateNode {
  return nodeOf({
    '@id': `./${path}`,
    '@type': 'File',
    name: attachment.filename,
    description: attachment.fileMetadataDescription,
    identifier: attachment.id,
    encodingFormat: attachment.contentType,
    contentSize: String(attachment.size),
    sha256: attachment.checksum,
  });
}

/** Describes attributes and events for other programs, and all values for which the crate has no terms. */
function describeValues(entry: Entry): CrateNode[] {
  const prefix = `#entry-${entry.id}`;
  const valueNode = (id: string, values: CrateNode) =>
    nodeOf({ '@id': `${prefix}-${id}`, '@type': 'PropertyValue', ...values });
  const attributes = entry.properties.flatMap((property, at) =>
    property.attributes.map(({ name, value }, index) =>
      valueNode(`property-${at + 1}-${index + 1}`, {
        propertyID: `${property.name}.${name}`,
        name,
        value: value ?? undefined,
      }),
    ),
  );
  const events = entry.events.map(({ name, instant }, at) =>
    valueNode(`event-${at + 1}`, { propertyID: `event.${name}`, name, value: toTime(instant) }),
  );
  const record = valueNode('record', {
    propertyID: 'logbook:entry',
    name: 'The entry as JSON',
    description: 'The fields of the entry, with which a Logbook restores it, as JSON.',
    value: JSON.stringify(recordOf(entry)),
  });
  return [...attributes, ...events, record];
}

/** Returns all fields except the text and the files, which other nodes contain. */
function recordOf({ source, description, attachments: _, id: __, version: ___, ...fields }: Entry) {
  return { ...fields, ...(description !== plainTextOf(source) && { description }) };
}
