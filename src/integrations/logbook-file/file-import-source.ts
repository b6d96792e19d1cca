import { hash } from 'node:crypto';
import {
  isRecord,
  type Loose,
  listOf,
  type Remark,
  readLevels,
  readLogbookItems,
  readProperties,
  readTags,
  readTemplate,
  readVersion,
  textOf,
} from '../../imports/entry-values.js';
import type {
  ImportedAttachment,
  ImportedBatch,
  ImportedCatalog,
  ImportedEntry,
  ImportedVersion,
  ImportSource,
  Template,
} from '../../imports/import-source.port.js';
import type { ZipReader } from '../../imports/zip-reader.js';
import { Fault } from '../../kernel/fault.js';
import { type Line, linesOf, valuesOf } from './lines.js';

/** Maximum number of entries per transaction. Each transaction waits for the disk once. */
const batchEntries = 250;
const batchBytes = 1_048_576;
const catalogKinds = ['tags', 'logbooks', 'levels', 'properties'];
const required = ['catalog.json', 'templates.ndjson', 'entries.ndjson'];
const ignore: Remark = () => undefined;

/** Import source for the export of a logbook. */
export class FileImportSource implements ImportSource {
  readonly hasDerivedCatalog = false;
  private constructor(
    readonly name: string,
    private readonly exportId: string,
    private readonly zip: ZipReader,
  ) {}

  /** @throws Fault invalid `import.source-invalid` when the file is not an export */
  static async open(zip: ZipReader, signal: AbortSignal): Promise<FileImportSource> {
    for await (const value of valuesOf(zip, 'logbook.json', { signal })) {
      const { format: name, version, storeId, exportId } = isRecord(value) ? value : {};
      if (name !== 'logbook-export' || typeof storeId !== 'string') break;
      if (version !== 1) throw notAnExport(`it has the version ${version}, which this program does not know`);
      // All items of an earlier export would become inactive if a list were missing.
      const missing = required.find((one) => !zip.has(one));
      if (missing !== undefined) throw notAnExport(`it has no ${missing}`);
      return new FileImportSource(`logbook ${storeId}`, String(exportId), zip);
    }
    throw notAnExport('it has no logbook.json that says so');
  }

  async readCatalog(signal: AbortSignal): Promise<ImportedCatalog> {
    let catalog: Loose | undefined;
    for await (const value of valuesOf(this.zip, 'catalog.json', { isWhole: true, signal })) {
      if (isRecord(value)) catalog = value;
    }
    if (!catalog || !catalogKinds.every((kind) => Array.isArray(catalog?.[kind]))) {
      throw notAnExport('its catalog.json does not have the lists');
    }
    return {
      tags: readTags(catalog.tags),
      logbooks: readLogbookItems(catalog.logbooks),
      levels: readLevels(catalog.levels),
      properties: readProperties(catalog.properties),
    };
  }

  async listTemplates(signal: AbortSignal): Promise<readonly Template[]> {
    const templates: Template[] = [];
    for await (const template of valuesOf(this.zip, 'templates.ndjson', { signal })) {
      if (!isRecord(template)) continue;
      const id = textOf(template.id);
      if (id === undefined) continue;
      templates.push({ ...readTemplate(template), id, name: textOf(template.name) ?? id });
    }
    return templates;
  }

  async *walk(position: string | undefined, signal: AbortSignal): AsyncGenerator<ImportedBatch> {
    const [exportId, number] = position?.split(' ') ?? [];
    let read = exportId === this.exportId ? Number(number) : 0;
    let [entries, remarks, bytes]: [ImportedEntry[], string[], number] = [[], [], 0];
    for await (const lines of linesOf(this.zip, 'entries.ndjson', { skipped: read, signal })) {
      signal.throwIfAborted();
      for (const line of lines) {
        read += 1;
        bytes += line.bytes.length;
        const entry = this.toEntry(line);
        if (entry) entries.push(entry);
        else remarks.push(`Line ${read} of entries.ndjson is not an entry; it was left out.`);
        if (entries.length < batchEntries && bytes < batchBytes) continue;
        yield { entries, remarks, position: `${this.exportId} ${read}` };
        [entries, remarks, bytes] = [[], [], 0];
      }
    }
    if (entries.length > 0 || remarks.length > 0) yield { entries, remarks, position: `${this.exportId} ${read}` };
  }

  async count(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {
    this.zip.close();
  }

  private toEntry({ value, bytes }: Line): ImportedEntry | undefined {
    const { entry, archived, inReplyTo } = isRecord(value) ? value : {};
    if (!isRecord(entry)) return undefined;
    const id = Number(entry.id);
    if (!Number.isSafeInteger(id)) return undefined;
    const remarks: string[] = [];
    const current = this.toVersion(entry, (sentence) => remarks.push(sentence));
    return {
      key: String(id),
      id,
      current,
      digest: hash('sha256', bytes, 'base64'),
      inReplyTo: typeof inReplyTo === 'number' ? String(inReplyTo) : undefined,
      remarks,
      listArchived: async () => ({
        versions: (Array.isArray(archived) ? archived : [])
          .filter(isRecord)
          .map((version) => this.toVersion(version, ignore)),
        remarks: [],
      }),
    };
  }

  private toVersion(entry: Loose, remark: Remark): ImportedVersion {
    const attachments = listOf(entry.attachments).flatMap((file): ImportedAttachment[] => {
      const { size, checksum } = file;
      if (typeof checksum !== 'string' || !/^[0-9a-f]{64}$/.test(checksum)) {
        remark('An attachment without a checksum was left out.');
        return [];
      }
      return [
        {
          id: textOf(file.id),
          filename: textOf(file.filename) ?? '',
          fileMetadataDescription: textOf(file.fileMetadataDescription),
          size: typeof size === 'number' ? size : undefined,
          checksum,
          isLocal: true,
          open: async () => {
            const content = await this.zip.find(`attachments/${checksum}`);
            return content && { content, mediaType: undefined };
          },
        },
      ];
    });
    return { ...readVersion(entry, remark), attachments };
  }
}

function notAnExport(reason: string): Fault {
  return new Fault('invalid', 'import.source-invalid', `The file is not an export of a logbook: ${reason}.`);
}
