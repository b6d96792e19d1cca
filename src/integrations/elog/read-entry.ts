import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { fenced } from '../../../packages/rich-text/escape-text.js';
import type { Target, Targets } from '../../../packages/rich-text/text-model.js';
import type { ImportedAttachment, ImportedEntry } from '../../imports/import-source.port.js';
import { type DataFile, toDataAddress } from '../../imports/texts/data-files.js';
import { derivedId } from '../../kernel/derived-id.js';
import { digestOfBytes, streamOf } from '../../kernel/file-bytes.js';
import { AddressResolver, type ElogIndex, type NamedFile, type Resolved } from './address-resolver.js';
import type { ConvertedText } from './convert-text.js';
import type { ElogBytes } from './elog-bytes.js';
import { describeUnread } from './elog-date.js';
import { decodeText, type ElogEntry, headerOf, maxHeadBytes, parseElogEntry, type StoredName } from './elog-entry.js';
import { type ListedEntry, readEntryBytes } from './elog-folder.js';
import type { ElogMapping } from './elog-mapping.js';
import { mapEntry } from './map-entry.js';
import { findStoredFile, type StoredFile } from './stored-files.js';
import type { TextConverter } from './text-converter.js';

/** Maximum size of an entry that is converted. Longer entries are attached as they are. */
const maxEntryBytes = 16_777_216;
const tooManyHeaders = `The headers of the entry have more than ${maxHeadBytes} bytes.`;

interface Deps {
  /** Name of the source, from which ids are derived. */
  readonly source: string;
  readonly mapping: ElogMapping;
  readonly index: ElogIndex;
  readonly converter: TextConverter;
  /** Returns an entry of a folder with its attributes as ELOG shows them. */
  readonly toReadable: (entry: ElogEntry, folder: string) => ElogEntry;
  readonly signal: AbortSignal;
}

interface Given {
  readonly key: string;
  readonly logbook: string;
  readonly groupId: string | undefined;
  readonly inReplyTo: string | undefined;
  /** Entry to which it replies, if that is not imported. */
  readonly missingParent: string | undefined;
}

/** Reads an entry with its files, and its text as CommonMark. */
export async function readEntry(deps: Deps, listed: ListedEntry, given: Given): Promise<ImportedEntry> {
  const bytes = await readEntryBytes(listed, maxEntryBytes);
  const entry = deps.toReadable(parseElogEntry(listed.id, bytes, deps.index.decoder), listed.logbook);
  const isLong = bytes.length < listed.end - listed.start;
  const cut = isLong ? `The entry has more than ${maxEntryBytes} bytes.` : entry.isCut ? tooManyHeaders : undefined;
  const encoding = headerOf(entry, 'encoding');
  const files = new EntryFiles(deps.source, listed.logbook);
  const folders = { root: listed.root, beside: listed.dir, decoder: deps.index.decoder };
  for (const stored of entry.files) files.add(stored, await findStoredFile(folders, stored));
  const text = cut
    ? unconverted(cut, isLong ? entry.textBytes : bytes.subarray(maxHeadBytes))
    : await convert(deps, listed, entry, encoding, files);
  const { original } = text.first;
  const unreadDate = describeUnread(listed.date, headerOf(entry, 'date'));
  if (cut) files.addRest(listed, `original-${entry.id}.txt`);
  else if (original) await files.addContent(`${given.key} original`, originalName(entry, encoding), original);
  const version = mapEntry(deps.mapping, entry, { ...text.first, ...given, createdDate: listed.date.ms });
  return {
    key: given.key,
    id: undefined,
    current: { ...version, attachments: files.list() },
    inReplyTo: given.inReplyTo,
    remarks: [...remarksOf(unreadDate, given.missingParent, cut, original !== undefined), ...files.remarks],
    links: text.links,
    losses: {
      missingImages: text.first.missingImages,
      lostWords: text.first.lostWords,
      hasOriginal: cut !== undefined || original !== undefined,
    },
    listArchived: async () => ({ versions: [], remarks: [] }),
  };
}

function remarksOf(
  unreadDate: string | undefined,
  missingParent: string | undefined,
  cut: string | undefined,
  hasOriginal: boolean,
): string[] {
  return [
    ...(missingParent === undefined ? [] : [`It is a reply to ${missingParent}, which is not imported.`]),
    ...(cut === undefined ? [] : [`${cut} It is attached as it is.`]),
    ...(!hasOriginal ? [] : ['The text has more than CommonMark can show; the original is attached.']),
    ...(unreadDate === undefined ? [] : [unreadDate]),
  ];
}

type IdOf = (key: string) => number | undefined;

const textOf = ({ source, description }: ConvertedText) => ({ source, description });

interface EntryText {
  /** Text without links to other entries, whose ids are not known yet. */
  readonly first: ConvertedText;
  readonly links: ImportedEntry['links'];
}

async function convert(
  { source, index, converter, signal }: Deps,
  listed: ListedEntry,
  entry: ElogEntry,
  encoding: string,
  files: EntryFiles,
): Promise<EntryText> {
  const addresses = await converter.listAddresses(entry.textBytes, encoding, signal);
  if (!addresses) return { first: asCode(entry, index.decoder), links: undefined };
  const resolved = await new AddressResolver(index, listed).resolve(addresses);
  const ids = await files.addNamed(`${source} ${index.keyOf(listed)}`, resolved, addresses.data);
  const targetsWith = (idOf: IdOf): Targets =>
    Object.fromEntries([...resolved].map(([address, one]) => [address, toTarget(one, ids, idOf)]));
  const convertWith = async (idOf: IdOf) =>
    (await converter.convert({ bytes: entry.textBytes, encoding, targets: targetsWith(idOf) }, signal)) ??
    asCode(entry, index.decoder);
  const keys = [...new Set([...resolved.values()].flatMap((one) => (one.kind === 'key' ? one.key : [])))];
  const links = keys.length === 0 ? undefined : { keys, write: async (idOf: IdOf) => textOf(await convertWith(idOf)) };
  return { first: await convertWith(() => undefined), links };
}

function toTarget(resolved: Resolved, ids: ReadonlyMap<unknown, string>, idOf: IdOf): Target {
  if (resolved.kind === 'key') return { kind: 'entry', id: idOf(resolved.key) };
  if (resolved.kind !== 'data' && resolved.kind !== 'file') return resolved;
  const id = ids.get(resolved.kind === 'data' ? toDataAddress(resolved.at) : resolved);
  return id === undefined ? { kind: 'nowhere' } : { kind: 'attachment', id };
}

/** Returns a text whose conversion takes too long, unconverted in a code block. */
function asCode({ textBytes }: ElogEntry, decoder: ElogBytes): ConvertedText {
  const text = decodeText(textBytes, decoder);
  const original = Buffer.from(text);
  return { source: fenced(text), description: text, missingImages: [], lostWords: [], original };
}

function unconverted(reason: string, textBytes: Buffer): EntryText {
  const source = `${reason} It is attached.`;
  const lostWords = textBytes.toString('latin1', 0, 1_000).match(/[a-z\d]+/gi) ?? [];
  const first = {
    source,
    description: source,
    missingImages: [],
    lostWords: lostWords.slice(0, 20),
    original: undefined,
  };
  return { first, links: undefined };
}

function originalName({ id }: ElogEntry, encoding: string): string {
  const kind = encoding.toLowerCase();
  return `original-${id}.${kind === 'html' ? 'html' : kind === 'elcode' ? 'elcode.txt' : 'txt'}`;
}

/** Files of an entry: those that it lists, and those that its text shows. */
class EntryFiles {
  readonly remarks: string[] = [];
  private readonly files = new Map<string, ImportedAttachment>();
  private readonly names = new Set<string>();

  constructor(
    private readonly source: string,
    private readonly logbook: string,
  ) {}

  list(): ImportedAttachment[] {
    return [...this.files.values()];
  }

  /** Adds a stored file. The import reports a file that is missing on disk. */
  add(stored: StoredName, file: StoredFile | undefined, logbook = this.logbook): string {
    const id = derivedId(`${this.source} ${logbook} ${stored.name}`);
    this.put(id, stored.name.replace(/^\d{6}_\d{6}_/, ''), file?.size, () => file && createReadStream(file.path));
    return id;
  }

  /** Adds the files that a text shows or to which it links. Returns their ids, by `Resolved` or data address. */
  async addNamed(
    prefix: string,
    resolved: ReadonlyMap<string, Resolved>,
    data: readonly DataFile[],
  ): Promise<ReadonlyMap<unknown, string>> {
    const ids = new Map<unknown, string>();
    for (const one of resolved.values()) {
      if (one.kind === 'file') ids.set(one, this.addFile(one.file));
    }
    for (const [at, { filename, bytes }] of data.entries()) {
      ids.set(toDataAddress(at), await this.addContent(`${prefix} ${filename}`, filename, bytes));
    }
    return ids;
  }

  /** Adds a file from bytes in memory. */
  async addContent(key: string, filename: string, content: Uint8Array): Promise<string> {
    const id = derivedId(`${key} ${await digestOfBytes(content)}`);
    this.put(id, filename, content.length, () => streamOf(content));
    return id;
  }

  /** Adds the unconverted bytes of an entry as a file. */
  addRest({ file, start, end, logbook, id }: ListedEntry, filename: string): void {
    this.put(derivedId(`${this.source} ${logbook}/${id} bytes ${end - start}`), filename, end - start, () =>
      createReadStream(file, { start, end: end - 1 }),
    );
  }

  private addFile({ stored, logbook, ...file }: NamedFile): string {
    return this.add(stored, file, logbook);
  }

  private put(id: string, filename: string, size: number | undefined, open: () => Readable | undefined): void {
    if (this.files.has(id)) return;
    const unique = this.toUnique(filename);
    this.files.set(id, {
      id,
      filename: unique,
      fileMetadataDescription: undefined,
      size,
      checksum: undefined,
      open: async () => {
        const content = open();
        return content && { content, mediaType: undefined };
      },
    });
  }

  /** Returns a name that no other file of the entry has, so that edits can distinguish the files. */
  private toUnique(filename: string): string {
    let name = filename;
    const [, base = '', extension = ''] = /^(.+?)((?:[.][^.]{1,16})?)$/su.exec(filename) ?? [];
    for (let count = 2; this.names.has(name.toLowerCase()); count++) name = `${base}-${count}${extension}`;
    this.names.add(name.toLowerCase());
    if (name !== filename) this.remarks.push(`Two files have the name “${filename}”; one became “${name}”.`);
    return name;
  }
}
