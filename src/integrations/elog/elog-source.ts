import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type {
  ImportSource,
  SourceAttachment,
  SourceBatch,
  SourceCatalog,
  SourceEntry,
} from '../../imports/import-source.port.js';
import { derivedId } from '../../kernel/derived-id.js';
import { quoted } from '../../kernel/fault.js';
import { type ElogEntry, headerOf } from './elog-entry.js';
import { type ElogPlace, findBeside, readElogEntry, scanElog } from './elog-folder.js';
import type { ElogMapping } from './elog-mapping.js';
import { ElogNames } from './elog-names.js';
import { convertText } from './elog-text.js';
import { mapEntry } from './map-entry.js';

const batchEntries = 100;

/** The folder of an ELOG. Its entries get new ids: its own are unique within one logbook only. */
export class ElogSource implements ImportSource {
  readonly hasDerivedCatalog = true;
  private scanned: Promise<Scan> | undefined;
  /** The next reader of the lists wants what is there then. */
  private isWalked = false;

  private constructor(
    readonly name: string,
    private readonly dir: string,
    private readonly mapping: ElogMapping,
  ) {}

  static async open(dir: string, mapping: ElogMapping): Promise<ElogSource> {
    const path = await realpath(dir);
    return new ElogSource(`elog ${path}`, path, mapping);
  }

  async readCatalog(signal: AbortSignal): Promise<SourceCatalog> {
    if (this.isWalked) this.scanned = undefined;
    this.isWalked = false;
    return (await this.scan(signal)).names.toCatalog();
  }

  async listTemplates(): Promise<[]> {
    return [];
  }

  async *walk(position: string | undefined, signal: AbortSignal): AsyncGenerator<SourceBatch> {
    const { places, threads, doubles } = await this.scan(signal);
    this.isWalked = true;
    const fromMs = position === undefined ? Number.NEGATIVE_INFINITY : Number(position);
    const wanted = places.filter(({ createdMs }) => createdMs >= fromMs);
    for (let at = 0; at < wanted.length; at += batchEntries) {
      signal.throwIfAborted();
      const page = wanted.slice(at, at + batchEntries);
      const entries: SourceEntry[] = [];
      for (const place of page) entries.push(await this.toEntry(place, threads));
      yield { entries, remarks: at === 0 ? doubles : [], position: String(page.at(-1)?.createdMs) };
    }
  }

  async count(signal: AbortSignal): Promise<number> {
    return (await this.scan(signal)).places.length;
  }

  async close(): Promise<void> {
    this.scanned = undefined;
  }

  /** Describes what each logbook and attribute becomes, without importing anything. */
  async describe(signal: AbortSignal): Promise<string[]> {
    return (await this.scan(signal)).names.describe();
  }

  private logbookOf(folder: string): string | null {
    const mapped = this.mapping.logbooks[folder];
    return mapped === undefined ? folder : mapped;
  }

  private scan(signal: AbortSignal): Promise<Scan> {
    this.scanned ??= this.scanNow(signal);
    return this.scanned;
  }

  private async scanNow(signal: AbortSignal): Promise<Scan> {
    const names = new ElogNames(this.mapping, (folder) => this.logbookOf(folder));
    const found = await scanElog(this.dir, (place, entry) => names.add(place.logbook, entry), signal);
    const [places, doubles] = withoutDoubles(found.filter(({ logbook }) => this.logbookOf(logbook) !== null));
    return { names, places, threads: findThreads(places), doubles };
  }

  private async toEntry(place: ElogPlace, threads: Threads): Promise<SourceEntry> {
    const entry = await readElogEntry(place);
    const key = keyOf(place);
    const remarks: string[] = [];
    const files = headerOf(entry, 'attachment')
      .split(',')
      .map((name) => name.trim());
    const attachments = await Promise.all(
      files.filter((name) => name !== '').map((name) => this.toAttachment(place, name)),
    );
    const text = await convertText(entry.text, headerOf(entry, 'encoding'), (reference) => {
      const found = attachments[findReferenced(reference, files)];
      return found && `attachment/${found.id}`;
    });
    if (text.lostFrom !== undefined) {
      attachments.push(this.toOriginal(place, entry, text.lostFrom));
      remarks.push('The text has more than CommonMark can show; the original is attached.');
    }
    const group = threads.get(key);
    const version = mapEntry(this.mapping, entry, {
      ...text,
      createdDate: place.createdMs,
      logbook: this.logbookOf(place.logbook) ?? place.logbook,
      groupId: group === undefined ? undefined : derivedId(`${this.name} thread ${group}`),
    });
    const parent = place.parent === undefined ? undefined : keyOf({ ...place, id: place.parent });
    const current = { ...version, attachments };
    const listArchived = async () => ({ versions: [], remarks: [] });
    return { key, id: undefined, current, inReplyTo: parent, remarks, listArchived };
  }

  private async toAttachment(place: ElogPlace, storedName: string): Promise<SourceAttachment> {
    const path = await findBeside(place, storedName);
    return {
      id: derivedId(`${this.name} ${place.logbook} ${storedName}`),
      filename: storedName.replace(/^\d{6}_\d{6}_/, ''),
      fileMetadataDescription: undefined,
      size: path === undefined ? undefined : (await stat(path)).size,
      checksum: undefined,
      open: async () => (path === undefined ? undefined : { content: createReadStream(path), mediaType: undefined }),
    };
  }

  private toOriginal(place: ElogPlace, { id, text }: ElogEntry, extension: string): SourceAttachment {
    const content = Buffer.from(text);
    return {
      id: derivedId(`${this.name} ${keyOf(place)} original ${derivedId(text)}`),
      filename: `original-${id}.${extension}`,
      fileMetadataDescription: undefined,
      size: content.length,
      checksum: undefined,
      open: async () => ({ content: Readable.from([content]), mediaType: undefined }),
    };
  }
}

/** The entry that began the thread of each entry that is in one, by their keys. */
type Threads = ReadonlyMap<string, string>;

interface Scan {
  readonly names: ElogNames;
  readonly places: readonly ElogPlace[];
  readonly threads: Threads;
  /** Entries of one logbook with the same id, each a sentence: a copy of a file, for example. */
  readonly doubles: readonly string[];
}

const keyOf = ({ logbook, id }: Pick<ElogPlace, 'logbook' | 'id'>) => `${logbook}/${id}`;

/** Returns the first entry with each key, and a sentence about each of the others. */
function withoutDoubles(found: readonly ElogPlace[]): [ElogPlace[], string[]] {
  const places = new Map<string, ElogPlace>();
  const doubles: string[] = [];
  for (const place of found) {
    const key = keyOf(place);
    if (!places.has(key)) places.set(key, place);
    else doubles.push(`Entry ${key} is there twice; the one in ${quoted(place.file, 200)} was left out.`);
  }
  return [[...places.values()], doubles];
}

/** Answers may name entries that are gone; such a thread begins with its oldest entry that is there. */
function findThreads(places: readonly ElogPlace[]): Threads {
  const parents = new Map(places.map((place) => [keyOf(place), place.parent]));
  const threads = new Map<string, string>();
  for (const place of places) {
    const seen = new Set<string>();
    let root = keyOf(place);
    for (let next = place.parent; next !== undefined && !seen.has(root); ) {
      const key = keyOf({ ...place, id: next });
      seen.add(root);
      if (!parents.has(key)) break;
      root = key;
      next = parents.get(key);
    }
    if (root === keyOf(place)) continue;
    threads.set(keyOf(place), root);
    threads.set(root, root);
  }
  return threads;
}

/** Returns the place of the attachment that `elog:/1` or the stored name of a file means; -1 for none. */
function findReferenced(reference: string, files: readonly string[]): number {
  const [, number] = /^elog:\/(\d{1,4})$/.exec(reference.trim()) ?? [];
  if (number !== undefined) return Number(number) - 1;
  const name = reference.replace(/[?#].*$/s, '').replace(/^.*\//s, '');
  const stored = name.replace(/^(\d{6}_\d{6})\//, '$1_');
  return files.indexOf(stored);
}
