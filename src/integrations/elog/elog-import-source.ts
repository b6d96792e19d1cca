import { realpath } from 'node:fs/promises';
import type {
  ImportedBatch,
  ImportedCatalog,
  ImportedEntry,
  ImportSource,
  SkippedEntry,
} from '../../imports/import-source.port.js';
import { derivedId } from '../../kernel/derived-id.js';
import { counted } from '../../kernel/text.js';
import type { ElogIndex } from './address-resolver.js';
import { ElogBytes } from './elog-bytes.js';
import { type ElogConfig, readElogConfig } from './elog-config.js';
import { writeElogTime } from './elog-date.js';
import { type ElogEntry, maxHeadBytes, parseElogEntry } from './elog-entry.js';
import { findLogbooks, readEntryBytes, scanElog } from './elog-folder.js';
import type { ElogMapping } from './elog-mapping.js';
import { ElogNames } from './elog-names.js';
import { type ElogScan, keyOf, orderScan, type ScannedEntry } from './elog-scan.js';
import { readEntry } from './read-entry.js';
import { TextConverter } from './text-converter.js';

const batchEntries = 100;
/** Maximum size of a batch in memory, including the files that are part of texts. */
const batchBytes = 16_777_216;

/**
 * Import source for the folder of an ELOG. Entries get new ids, because those of an ELOG are unique only within one
 * logbook.
 */
export class ElogImportSource implements ImportSource {
  readonly hasDerivedCatalog = true;
  private readonly converter: TextConverter;
  private readonly decoder: ElogBytes;
  private scanned: Promise<ElogScan> | undefined;
  /** Whether the entries were walked. If so, the next reader of the lists scans the folder again. */
  private isWalked = false;

  private constructor(
    readonly name: string,
    private readonly root: string,
    private readonly config: ElogConfig,
    private readonly mapping: ElogMapping,
  ) {
    this.decoder = new ElogBytes(config.charset);
    this.converter = new TextConverter(config.charset);
  }

  static async open(dir: string, mapping: ElogMapping): Promise<ElogImportSource> {
    const path = await realpath(dir);
    const root = await findLogbooks(path);
    return new ElogImportSource(`elog ${path}`, root, await readElogConfig(path, root), mapping);
  }

  async readCatalog(signal: AbortSignal): Promise<ImportedCatalog> {
    if (this.isWalked) this.scanned = undefined;
    this.isWalked = false;
    return (await this.scan(signal)).names.toCatalog();
  }

  async listTemplates(): Promise<[]> {
    return [];
  }

  async *walk(position: string | undefined, signal: AbortSignal): AsyncGenerator<ImportedBatch> {
    const scan = await this.scan(signal);
    this.isWalked = true;
    const index = this.toIndex(scan);
    const fromMs = position === undefined ? Number.NEGATIVE_INFINITY : Number(position);
    let [remarks, skipped] = [[...this.describeElsewhere(), ...scan.unread, ...scan.doubles], toSkipped(scan)];
    for (const page of pagesOf(scan.entries, fromMs)) {
      const entries: ImportedEntry[] = [];
      for (const listed of page) {
        signal.throwIfAborted();
        entries.push(await this.toEntry(listed, scan, { index, signal }));
      }
      yield { entries, remarks, skipped, position: String(page.at(-1)?.walkMs) };
      [remarks, skipped] = [[], []];
    }
  }

  async count(signal: AbortSignal): Promise<number> {
    return (await this.scan(signal)).entries.length;
  }

  async close(): Promise<void> {
    this.scanned = undefined;
    await this.converter.close();
  }

  /** Describes the target of each logbook and attribute, without importing anything. */
  async describe(signal: AbortSignal): Promise<string[]> {
    const { names, drafts, entries } = await this.scan(signal);
    const withoutZone = entries.filter(({ date }) => date.isWithoutZone).length;
    return [
      ...names.describe(),
      ...this.describeElsewhere(),
      `charset of the server: ${this.config.charset} (${this.config.file ?? 'the default; there is no elogd.cfg'})`,
      ...(withoutZone === 0
        ? []
        : [`dates without a zone: ${counted(withoutZone, 'entry')}, read in ${this.mapping.timeZone}`]),
      ...(drafts.length === 0 ? [] : [`drafts: ${drafts.length}, left out`]),
    ];
  }

  private describeElsewhere(): string[] {
    return [...this.config.elsewhere].map(
      ([name, path]) =>
        `The logbook ${name} has its folder at ${path}, which is outside of the source: it was left out.`,
    );
  }

  /** Returns the name of the logbook that has a folder. */
  private nameOf(folder: string): string {
    const [name = folder] = [...this.config.folders].find(([, one]) => one === folder) ?? [];
    return name;
  }

  /** Formats attributes of dates, whose values in the files are seconds since the epoch. */
  private toReadable(entry: ElogEntry, folder: string): ElogEntry {
    const name = this.nameOf(folder);
    const headers = entry.headers.map(([attribute, value]): [string, string] => {
      const type = this.config.attributeTypes(name, attribute);
      return [attribute, type ? writeElogTime(value, type, this.mapping.timeZone) : value];
    });
    return { ...entry, headers };
  }

  private logbookOf(folder: string): string | null {
    const { logbooks } = this.mapping;
    const name = this.nameOf(folder);
    const mapped = logbooks[folder] === undefined ? logbooks[name] : logbooks[folder];
    return mapped === undefined ? name : mapped;
  }

  private scan(signal: AbortSignal): Promise<ElogScan> {
    this.scanned ??= this.scanNow(signal);
    return this.scanned;
  }

  private async scanNow(signal: AbortSignal): Promise<ElogScan> {
    const names = new ElogNames(this.mapping, (folder) => this.logbookOf(folder));
    const reading = { decoder: this.decoder, timeZone: this.mapping.timeZone };
    const found = await scanElog(
      this.root,
      reading,
      ({ logbook, draftOf }, entry) => {
        if (draftOf === undefined) names.add(logbook, this.toReadable(entry, logbook));
      },
      signal,
    );
    return orderScan(found, names, (logbook) => this.logbookOf(logbook) === null);
  }

  private toEntry(
    listed: ScannedEntry,
    { groups }: ElogScan,
    { index, signal }: { readonly index: ElogIndex; readonly signal: AbortSignal },
  ): Promise<ImportedEntry> {
    const key = keyOf(listed);
    const group = groups.get(key);
    const parent = listed.parent === undefined ? undefined : index.findEntry(listed.logbook, listed.parent);
    const parentKey = listed.parent === undefined ? undefined : keyOf({ logbook: listed.logbook, id: listed.parent });
    const inReplyTo = parent && index.isBrought(parent) ? keyOf(parent) : undefined;
    const given = {
      key,
      logbook: this.logbookOf(listed.logbook) ?? listed.logbook,
      groupId: group === undefined ? undefined : derivedId(`${this.name} thread ${group}`),
      inReplyTo,
      missingParent: inReplyTo === undefined ? parentKey : undefined,
    };
    const { name: source, mapping, converter } = this;
    const toReadable = (entry: ElogEntry, folder: string) => this.toReadable(entry, folder);
    return readEntry({ source, mapping, converter, toReadable, index, signal }, listed, given);
  }

  private toIndex(scan: ElogScan): ElogIndex {
    const { folders, roots, brought } = scan;
    return {
      decoder: this.decoder,
      servers: [...this.config.addresses, ...this.mapping.addresses].map((address) => new URL(address)),
      findLogbook: (name) => {
        const own = [...this.config.folders].find(([one]) => one.toLowerCase() === name.toLowerCase());
        const folder = own?.[1] ?? name;
        return folders.get(folder.toLowerCase()) ?? folders.get(folder.replaceAll('+', ' ').toLowerCase());
      },
      findEntry: (logbook, id) => scan.all.get(keyOf({ logbook, id })),
      isBrought: (listed) => brought.has(keyOf(listed)),
      rootOf: (logbook) => roots.get(logbook),
      listFiles: async (listed) =>
        parseElogEntry(listed.id, await readEntryBytes(listed, maxHeadBytes), this.decoder).files,
      keyOf,
    };
  }
}

function toSkipped({ drafts }: ElogScan): SkippedEntry[] {
  return drafts.map((listed) => ({
    key: keyOf(listed),
    text: `The entry is a draft of ${listed.draftOf}, which only that user sees. It was left out.`,
  }));
}

function* pagesOf(entries: readonly ScannedEntry[], fromMs: number): Generator<ScannedEntry[]> {
  let [page, bytes]: [ScannedEntry[], number] = [[], 0];
  for (const listed of entries) {
    if (listed.walkMs < fromMs) continue;
    page.push(listed);
    bytes += listed.end - listed.start;
    if (page.length < batchEntries && bytes < batchBytes) continue;
    yield page;
    [page, bytes] = [[], 0];
  }
  if (page.length > 0) yield page;
}
