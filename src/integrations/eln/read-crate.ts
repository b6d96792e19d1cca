import { type Loose, textOf } from '../../imports/entry-values.js';
import type { ZipReader } from '../../imports/zip-reader.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import { nameFrom } from './crate-fields.js';
import { FileFinder, ownFile } from './crate-files.js';
import { addTo, CrateGraph } from './crate-graph.js';
import { type CrateItem, type CrateItems, findItems } from './crate-items.js';
import { hasType, idsIn, isContent } from './crate-values.js';

const metadataName = 'ro-crate-metadata.json';
/** Files that operating systems add to folders and archives. */
const leftover = /^__MACOSX\/|(?:^|\/)(?:[.]DS_Store|Thumbs[.]db|desktop[.]ini)$/;
const shownNames = 5;

/** Content of an archive: the items that become entries, with their keys and files. */
export interface Crate {
  readonly graph: CrateGraph;
  /** Id of the program and, if the archive names it, of its installation. */
  readonly name: string;
  /** Name of the program that has written the archive. */
  readonly program: string;
  readonly items: readonly CrateItem[];
  /** Key of each item, by its id. If possible, the key is the same in other archives of the program. */
  readonly keys: ReadonlyMap<string, string>;
  /** The ids of the files of each item. */
  readonly fileIds: ReadonlyMap<string, readonly string[]>;
  readonly files: FileFinder;
  /** Sentences about the parts that are left out. */
  readonly remarks: readonly string[];
}

/**
 * Reads an archive, except for its files.
 * @throws Fault invalid `import.source-invalid`
 * @throws the reason of `signal` when it aborts
 */
export async function readCrate(zip: ZipReader, signal: AbortSignal): Promise<Crate> {
  const metadata = findMetadata(zip);
  const folder = metadata.slice(0, metadata.lastIndexOf('/') + 1);
  const graph = await CrateGraph.read(zip, metadata, signal);
  const root = graph.find('');
  if (!root) throw invalid('its description has no root dataset “./”');
  const { name, program } = describeSource(graph, root);
  const found = await findItems(graph, signal);
  const files = new FileFinder(graph, zip, folder, name);
  const { fileIds, claimed } = await claimFiles(graph, found.items, files, signal);
  await claimBeside(zip, folder, found.items, { fileIds, claimed, files });
  const ofRoot = files.listIds(root, new Set(idsIn(root.hasPart))).filter((id) => !claimed.has(id));
  const items = [...found.items];
  if (ofRoot.length > 0 || items.length === 0) {
    fileIds.set('', ofRoot);
    for (const id of ofRoot) claimed.add(id);
    const none = { parent: undefined, group: undefined, book: undefined, about: undefined };
    items.push({ id: '', ...none, orderMs: Number.POSITIVE_INFINITY });
  }
  const remarks = [
    ...found.remarks,
    ...listRepeated(graph),
    ...(await listUnread(zip, { folder, graph, claimed, files, ...found }, signal)),
  ];
  return { graph, name, program, items, keys: await keysOf(graph, items, signal), fileIds, files, remarks };
}

/** Returns the path of the description, in the one folder of the archive or outside of folders. */
function findMetadata(zip: ZipReader): string {
  const matching = (pattern: RegExp) => [...zip.names()].filter((name) => pattern.test(name));
  const current = matching(/^(?!__MACOSX\/)([^/]+\/)?ro-crate-metadata[.]json$/);
  // The first version of the format had another name for it. Some archives contain both.
  const found = current.length > 0 ? current : matching(/^(?!__MACOSX\/)([^/]+\/)?ro-crate-metadata[.]jsonld$/);
  const [name] = found;
  if (name === undefined) throw invalid(`it has no FOLDER/${metadataName}, and no logbook.json of an export`);
  if (found.length > 1)
    throw invalid(`it has several folders with a ${metadataName}: ${found.map((one) => quoted(one)).join(', ')}`);
  return name;
}

function describeSource(graph: CrateGraph, root: Loose): { readonly name: string; readonly program: string } {
  const { sdPublisher } = graph.descriptor;
  const publisher = graph.resolve(sdPublisher);
  const [id] = idsIn(sdPublisher).filter((one) => /^https?:/.test(one));
  const program =
    nameFrom(textOf(publisher?.name) ?? textOf(sdPublisher) ?? id ?? idsIn(sdPublisher)[0] ?? '') || 'ELN';
  const store = program === 'Logbook' ? textOf(root.identifier) : undefined;
  return { program, name: store === undefined ? `eln ${id ?? program}` : `eln of logbook ${store}` };
}

async function claimFiles(
  graph: CrateGraph,
  items: readonly CrateItem[],
  files: FileFinder,
  signal: AbortSignal,
): Promise<Claims> {
  const listed = new Set(idsIn(graph.find('')?.hasPart));
  const { fileIds, claimed }: Claims = { fileIds: new Map(), claimed: new Set() };
  const slice = new TimeSlice();
  for (const { id } of items) {
    if (slice.isOver) await slice.next();
    signal.throwIfAborted();
    const ids = files.listIds(graph.find(id) ?? {}, listed);
    if (ids.length === 0) continue;
    fileIds.set(id, ids);
    for (const one of ids) claimed.add(one);
  }
  return { fileIds, claimed };
}

interface Claims {
  readonly fileIds: Map<string, readonly string[]>;
  readonly claimed: Set<string>;
}

/** Assigns files that no node describes to the entry in whose folder they are. */
async function claimBeside(
  zip: ZipReader,
  folder: string,
  found: readonly CrateItem[],
  { fileIds, claimed, files }: Claims & { readonly files: FileFinder },
): Promise<void> {
  const slice = new TimeSlice();
  const items = new Set(found.map(({ id }) => id));
  const described = new Set([...claimed].map((id) => files.locate(id)));
  const beside = new Map<string, string[]>();
  for (const name of zip.names()) {
    if (slice.isOver) await slice.next();
    const id = name.slice(folder.length);
    if (!name.startsWith(folder) || described.has(name) || ownFile.test(id) || leftover.test(name)) continue;
    for (let end = id.lastIndexOf('/'); end > 0; end = id.lastIndexOf('/', end - 1)) {
      const item = id.slice(0, end);
      if (!items.has(item)) continue;
      addTo(beside, item, id);
      claimed.add(id);
      break;
    }
  }
  for (const [item, ids] of beside) fileIds.set(item, [...(fileIds.get(item) ?? []), ...ids]);
}

/**
 * Returns the keys of the items. An address or a long identifier is the same in each archive; other ids are unique only
 * within one root.
 */
async function keysOf(
  graph: CrateGraph,
  items: readonly CrateItem[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const slice = new TimeSlice();
  const rootName = textOf(graph.rootFields.name) ?? '';
  const keys = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id } of items) {
    if (slice.isOver) await slice.next();
    signal.throwIfAborted();
    const node = graph.find(id) ?? {};
    const identifier = textOf(node.identifier) ?? '';
    const url = textOf(node.url) ?? '';
    const isGlobal = /[0-9a-f]{16}|[0-9a-f]{8}-[0-9a-f]{4}/i.test(identifier);
    const wanted = isGlobal ? identifier : /^https?:/.test(url) ? url : /:\/\//.test(id) ? id : `${rootName} ${id}`;
    const key = taken.has(wanted) ? `${wanted} ${id}` : wanted;
    taken.add(key);
    keys.set(id, key);
  }
  return keys;
}

function listRepeated({ repeatedIds }: CrateGraph): string[] {
  return repeatedIds.length === 0
    ? []
    : [`These ids have several nodes, of which the first was read: ${shown(repeatedIds)}.`];
}

interface ReadCrate extends Pick<Claims, 'claimed'>, CrateItems {
  readonly folder: string;
  readonly graph: CrateGraph;
  readonly files: FileFinder;
}

/** Returns sentences about the parts of the archive that belong to no entry. */
async function listUnread(
  zip: ZipReader,
  { folder, graph, claimed, files, reached, others }: ReadCrate,
  signal: AbortSignal,
): Promise<string[]> {
  const slice = new TimeSlice();
  const known = new Set([...claimed].map((id) => files.locate(id)));
  const unread: string[] = [];
  for (const name of zip.names()) {
    if (slice.isOver) await slice.next();
    if (known.has(name) || leftover.test(name)) continue;
    if (!(name.startsWith(folder) && ownFile.test(name.slice(folder.length)))) unread.push(name);
  }
  const unreached: string[] = [];
  for (const id of graph.ids()) {
    if (slice.isOver) await slice.next();
    signal.throwIfAborted();
    if (id === '' || reached.has(id) || claimed.has(id)) continue;
    const node = graph.find(id) ?? {};
    if (isContent(node)) unreached.push(id);
  }
  const missing: string[] = [];
  for (const id of others) {
    if (slice.isOver) await slice.next();
    const node = graph.find(id);
    const isNamedAbove = node && (isContent(node) || hasType(node, 'Person') || hasType(node, 'Organization'));
    if (!isNamedAbove && !claimed.has(id) && !reached.has(id) && !ownFile.test(id)) missing.push(id);
  }
  return [
    ...(missing.length === 0
      ? []
      : [`These parts are neither entries nor files and were left out: ${shown(missing)}.`]),
    ...(unread.length === 0 ? [] : [`These files belong to no entry and were left out: ${shown(unread)}.`]),
    ...(unreached.length === 0
      ? []
      : [`These nodes are not part of the crate and were left out: ${shown(unreached)}.`]),
  ];
}

function shown(names: readonly string[]): string {
  const more = names.length > shownNames ? `, and ${names.length - shownNames} more` : '';
  return `${names
    .slice(0, shownNames)
    .map((name) => quoted(name, 120))
    .join(', ')}${more}`;
}

function invalid(reason: string): Fault {
  return new Fault('invalid', 'import.source-invalid', `The archive cannot be imported: ${reason}.`);
}
