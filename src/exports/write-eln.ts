import type { Attachment } from '../attachments/attachment.js';
import { type Entry, groupIdOf } from '../entries/entry.js';
import type { FindEntryPage } from '../entries/page-address.js';
import type { ExportDeps } from './export-storage.js';
import { FilePlaces } from './file-places.js';
import { listEntries } from './list-entries.js';
import { writeZip } from './zip-writer.js';

const folder = 'logbook';

type Node = Readonly<Record<string, unknown>>;

/**
 * Writes an RO-Crate in an `.eln` archive, which electronic lab notebooks and repositories read: one dataset for each
 * entry, in its current version, with its files.
 * @throws the reason of `signal` when it aborts; no file remains then
 */
export async function writeEln(deps: ExportDeps, file: string, signal: AbortSignal): Promise<void> {
  await writeZip(file, deps.nowMs, async (zip) => {
    const places = new FilePlaces();
    await zip.add(`${folder}/ro-crate-metadata.json`, metadata(deps, places, signal));
    for (const [path, attachment] of places.list()) {
      signal.throwIfAborted();
      const problem = await zip.addAttachment(`${folder}/${path}`, deps.blobs, attachment);
      if (problem !== undefined) deps.onProblem(problem);
    }
  });
}

async function* metadata(deps: ExportDeps, places: FilePlaces, signal: AbortSignal): AsyncGenerator<string> {
  yield '{"@context":"https://w3id.org/ro/crate/1.1/context","@graph":[\n';
  yield JSON.stringify(descriptor(deps));
  const parts: Node[] = [];
  const authors = new Map<string, string>();
  for await (const { entry } of listEntries(deps, signal)) {
    parts.push({ '@id': `./entry-${entry.id}/` });
    authors.set(entry.owner, entry.ownerName ?? entry.owner);
    for (const node of describeEntry(entry, places, deps.linkOf)) yield `,\n${JSON.stringify(node)}`;
  }
  for (const [owner, name] of authors) {
    yield `,\n${JSON.stringify({ '@id': authorId(owner), '@type': 'Person', name, identifier: owner })}`;
  }
  const root = {
    '@id': './',
    '@type': 'Dataset',
    name: 'Logbook',
    description: 'The entries of a logbook, with their files.',
    identifier: deps.storeId,
    datePublished: new Date(deps.nowMs).toISOString(),
    license: 'The license of the entries is not stated.',
    hasPart: parts,
  };
  yield `,\n${JSON.stringify(root)}\n]}\n`;
}

function descriptor({ nowMs }: ExportDeps): Node {
  return {
    '@id': 'ro-crate-metadata.json',
    '@type': 'CreativeWork',
    about: { '@id': './' },
    conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
    dateCreated: new Date(nowMs).toISOString(),
    version: '1.0',
  };
}

const authorId = (owner: string) => `#person-${encodeURIComponent(owner)}`;

function* describeEntry(entry: Entry, places: FilePlaces, linkOf: FindEntryPage): Generator<Node> {
  const folderId = `entry-${entry.id}`;
  const files = entry.attachments.map((attachment) => describeFile(places.place(folderId, attachment), attachment));
  const values = entry.properties.flatMap((property, at) =>
    property.attributes.map((attribute, place) => ({
      '@id': `#${folderId}-property-${at + 1}-${place + 1}`,
      '@type': 'PropertyValue',
      propertyID: `${property.name}.${attribute.name}`,
      value: attribute.value,
    })),
  );
  const groupId = groupIdOf(entry);
  yield {
    '@id': `./${folderId}/`,
    '@type': 'Dataset',
    name: entry.title,
    identifier: String(entry.id),
    url: linkOf(entry.id),
    text: entry.source,
    encodingFormat: 'text/markdown',
    author: { '@id': authorId(entry.owner) },
    dateCreated: new Date(entry.createdDate).toISOString(),
    dateModified: new Date(entry.modifyDate ?? entry.createdDate).toISOString(),
    version: entry.version,
    genre: entry.level,
    about: entry.logbooks.map(({ name }) => name),
    keywords: entry.tags.map(({ name }) => name).join(','),
    ...(groupId !== undefined && { isPartOf: groupId }),
    hasPart: files.map((file) => ({ '@id': file['@id'] })),
    variableMeasured: values.map((value) => ({ '@id': value['@id'] })),
  };
  yield* files;
  yield* values;
}

function describeFile(path: string, { filename, contentType, size, checksum }: Attachment): Node {
  return {
    '@id': `./${path}`,
    '@type': 'File',
    name: filename,
    encodingFormat: contentType,
    contentSize: String(size),
    sha256: checksum,
  };
}
