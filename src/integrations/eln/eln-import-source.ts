import { type Loose, type Remark, textOf } from '../../imports/entry-values.js';
import type {
  ImportedAttachment,
  ImportedBatch,
  ImportedCatalog,
  ImportedEntry,
  ImportSource,
} from '../../imports/import-source.port.js';
import { TextThread } from '../../imports/texts/text-thread.js';
import type { ZipReader } from '../../imports/zip-reader.js';
import { derivedId } from '../../kernel/derived-id.js';
import { streamOf } from '../../kernel/file-bytes.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import { readFields, readRecord } from './crate-fields.js';
import type { CrateItem } from './crate-items.js';
import { CrateNames } from './crate-names.js';
import { asCode, type CrateText, type CrateTextTask, convertCrateText, listParts } from './crate-text.js';
import { textIn } from './crate-values.js';
import { type Crate, readCrate } from './read-crate.js';

const batchEntries = 100;
/** Total length of texts at which a batch ends, in UTF-16 code units. */
const batchLength = 4_194_304;
const maxTitleLength = 80;
const ignore: Remark = () => undefined;

/** Import source for an `.eln` archive of any program. Its entries get new ids. */
export class ElnImportSource implements ImportSource {
  readonly hasDerivedCatalog = true;
  /** Programs export only the data that a user has selected. */
  readonly isPartial = true;

  private readonly thread = new TextThread<CrateTextTask, CrateText>(
    convertCrateText,
    new URL('./crate-text.js', import.meta.url),
  );

  private constructor(
    private readonly zip: ZipReader,
    private readonly crate: Crate,
    private readonly logbook: string | undefined,
  ) {}

  /**
   * @param logbook the logbook of all entries; undefined: the logbooks in the archive, or the name of the program
   * @throws Fault invalid `import.source-invalid`
   * @throws the reason of `signal` when it aborts
   */
  static async open(zip: ZipReader, logbook: string | undefined, signal: AbortSignal): Promise<ElnImportSource> {
    return new ElnImportSource(zip, await readCrate(zip, signal), logbook);
  }

  get name(): string {
    return this.crate.name;
  }

  async readCatalog(signal: AbortSignal): Promise<ImportedCatalog> {
    const names = new CrateNames();
    const slice = new TimeSlice();
    for (const item of this.crate.items) {
      if (slice.isOver) await slice.next();
      signal.throwIfAborted();
      names.add(this.readFields(item, this.nodeOf(item), '', ignore));
    }
    return names.toCatalog();
  }

  async listTemplates(): Promise<[]> {
    return [];
  }

  async *walk(position: string | undefined, signal: AbortSignal): AsyncGenerator<ImportedBatch> {
    const { items, remarks, graph } = this.crate;
    const [digest, number] = position?.split(' ') ?? [];
    const start = digest === graph.digest ? Number(number) : 0;
    let [entries, length]: [ImportedEntry[], number] = [[], 0];
    for (let at = start; at < items.length; at++) {
      signal.throwIfAborted();
      const entry = await this.toEntry(items[at] as CrateItem, signal);
      entries.push(entry);
      length += entry.current.source.length;
      if (entries.length < batchEntries && length < batchLength && at + 1 < items.length) continue;
      yield { entries, remarks: at < entries.length ? remarks : [], position: `${graph.digest} ${at + 1}` };
      [entries, length] = [[], 0];
    }
  }

  async count(): Promise<number> {
    return this.crate.items.length;
  }

  async close(): Promise<void> {
    this.zip.close();
    await this.thread.close();
  }

  private nodeOf({ id }: CrateItem): Loose {
    return this.crate.graph.find(id) ?? {};
  }

  private keyOf(id: string): string {
    return this.crate.keys.get(id) ?? id;
  }

  private async toEntry(item: CrateItem, signal: AbortSignal): Promise<ImportedEntry> {
    const { files, fileIds } = this.crate;
    const node = this.nodeOf(item);
    const key = this.keyOf(item.id);
    const remarks: string[] = [];
    const remark: Remark = (sentence) => remarks.push(sentence);
    const isOwn = readRecord(this.crate.graph, node, this.logbook) !== undefined;
    const found = files.read(fileIds.get(item.id) ?? [], isOwn, remark);
    const attachments = found.files.map(({ attachment }) => attachment);
    const place = `${this.name} ${key}`;
    const text: CrateTextTask = {
      place,
      parts: isOwn ? [{ text: textOf(node.text) ?? '', form: 'own' }] : listParts(this.crate.graph, node, remark),
      files: isOwn ? [] : found.files.map((file) => file.referred),
      addresses: isOwn ? [] : found.addresses,
    };
    const size = text.parts.reduce((sum, part) => sum + Buffer.byteLength(part.text), 0);
    const { source, plain, original, files: pasted } = (await this.thread.run(text, size, signal)) ?? asCode(text);
    for (const [id, { filename, bytes }] of pasted) attachments.push(toAttachment(id, filename, bytes));
    if (original !== undefined) {
      attachments.push(
        toAttachment(derivedId(`${place} original ${original}`), 'original.html', Buffer.from(original)),
      );
      remark('The text has more than CommonMark can show; the original is attached.');
    }
    const { description = plain, ...fields } = this.readFields(item, node, firstLine(plain), remark);
    return {
      key,
      id: undefined,
      current: { ...fields, source, description, attachments },
      inReplyTo: item.parent === undefined ? undefined : this.keyOf(item.parent),
      remarks,
      listArchived: async () => ({ versions: [], remarks: [] }),
    };
  }

  private readFields(item: CrateItem, node: Loose, firstLineOfText: string, remark: Remark) {
    const { graph, program, fileIds } = this.crate;
    const own = readRecord(graph, node, this.logbook);
    if (own) return own;
    const { id, book, about, group } = item;
    const title = textIn(node.name)?.trim() || firstLineOfText || id || program;
    const groupId = group === undefined ? undefined : derivedId(`${this.name} thread ${this.keyOf(group)}`);
    const fields = readFields({ graph, program, logbook: this.logbook }, node, {
      title,
      book,
      about,
      groupId,
      fileIds: fileIds.get(id) ?? [],
      remark,
    });
    return { ...fields, description: undefined };
  }
}

function firstLine(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return [...line.trim()].slice(0, maxTitleLength).join('');
}

function toAttachment(id: string, filename: string, content: Uint8Array): ImportedAttachment {
  return {
    id,
    filename,
    fileMetadataDescription: undefined,
    size: content.length,
    checksum: undefined,
    isLocal: true,
    open: async () => ({ content: streamOf(content), mediaType: undefined }),
  };
}
