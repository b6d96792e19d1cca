import {
  countOf,
  isRecord,
  type Loose,
  listOf,
  type Remark,
  readTemplate,
  readVersion,
  textOf,
} from '../../imports/entry-values.js';
import type {
  ArchivedVersions as ArchivedList,
  CatalogItems,
  CatalogKind,
  ImportedAttachment,
  ImportedBatch,
  ImportedCatalog,
  ImportedEntry,
  ImportedVersion,
  ImportSource,
  Template,
  UnreadableContent,
  UnreadItem,
  UnreadList,
} from '../../imports/import-source.port.js';
import { quoted } from '../../kernel/fault.js';
import { ArchivedVersions } from './archived-versions.js';
import { CatalogRequests } from './catalog-requests.js';
import { EntryWalk, hitsOf, idOf } from './entry-walk.js';
import { ItemFailure, ItemRequests } from './item-requests.js';
import { type ServiceAddress, ServiceConnection } from './service-connection.js';
import { ServiceRereading } from './service-rereading.js';

/** Import source for a running service of this family, which is read by its REST API. */
export class ServiceImportSource implements ImportSource {
  readonly hasDerivedCatalog = false;
  readonly name: string;
  private readonly connection: ServiceConnection;
  private readonly requests: ItemRequests;
  private readonly archive: ArchivedVersions;
  private readonly catalog: CatalogRequests;
  readonly rereading: ServiceRereading;

  constructor(address: ServiceAddress) {
    const { url } = address;
    this.name = `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
    this.connection = new ServiceConnection(address);
    this.requests = new ItemRequests(this.connection);
    this.archive = new ArchivedVersions(this.requests);
    this.catalog = new CatalogRequests(this.requests);
    this.rereading = new ServiceRereading(this.name, this.requests);
  }

  readCatalog(signal: AbortSignal): Promise<ImportedCatalog> {
    return this.catalog.readAll(signal);
  }

  findItem<K extends CatalogKind>(
    kind: K,
    name: string,
    signal: AbortSignal,
    isExpected?: boolean,
  ): Promise<CatalogItems[K] | UnreadItem | undefined> {
    return this.catalog.findItem(kind, name, signal, isExpected);
  }

  mayCutList(count: number, signal: AbortSignal): Promise<boolean> {
    return this.catalog.mayCutList(count, signal);
  }

  adviseOnCutList(kind: CatalogKind): string {
    return this.catalog.adviseOnCutList(kind);
  }

  listTemplates(signal: AbortSignal): Promise<readonly Template[] | UnreadList> {
    return this.catalog.readList(
      '/templates',
      (body) =>
        listOf(body).flatMap((template) => {
          const id = textOf(template.id);
          if (id === undefined || id === '') return [];
          const fields = readTemplate(template);
          return [{ ...fields, id, name: (textOf(template.name) || fields.title || id).trim() }];
        }),
      signal,
    );
  }

  async *walk(position: string | undefined, signal: AbortSignal): AsyncGenerator<ImportedBatch> {
    for await (const page of new EntryWalk(this.requests, position, signal).pages()) {
      const entries = page.entries.flatMap((entry) => this.toEntry(entry) ?? []);
      const remarks = page.entries
        .filter((entry) => idOf(entry) === undefined)
        .map(({ id }) => `An entry has no number as its id, but ${quoted(String(id))}; it was left out.`);
      yield { entries, remarks: [...page.problems, ...remarks], position: page.position };
    }
  }

  async find(id: number, signal: AbortSignal): Promise<ImportedEntry | UnreadableContent | undefined> {
    const found = await this.requests.getJson(`/logs/${id}`, signal);
    if (found instanceof ItemFailure) return (await this.requests.meansAbsent(found, signal)) ? undefined : found;
    return isRecord(found.body) && idOf(found.body) === id ? this.toEntry(found.body) : undefined;
  }

  async count(signal: AbortSignal): Promise<number | undefined> {
    const body = await this.connection.getJson('/logs/search?size=1', signal);
    hitsOf(body);
    return isRecord(body) ? countOf(body.hitCount) : undefined;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private toEntry(entry: Loose): ImportedEntry | undefined {
    const id = idOf(entry);
    if (id === undefined) return undefined;
    const [remarks, losses] = [new Set<string>(), new Set<string>()];
    const current = this.toVersion(id, entry, (sentence, isLoss) => (isLoss ? losses : remarks).add(sentence));
    return {
      key: String(id),
      id,
      current,
      inReplyTo: undefined,
      remarks: [...remarks],
      lost: [...losses],
      listArchived: async (signal) => this.listArchived(id, signal),
    };
  }

  private toVersion(id: number, entry: Loose, remark: Remark): ImportedVersion {
    const version = readVersion(entry, remark);
    const files = listOf(entry.attachments);
    const ids = new Set<string>();
    const attachments = files.flatMap((file): ImportedAttachment[] => {
      const filename = textOf(file.filename) ?? textOf(file.name) ?? '';
      const fileId = textOf(file.id) || undefined;
      if (filename === '' && fileId === undefined) {
        remark('An attachment with neither id nor file name was left out.', true);
        return [];
      }
      if (fileId !== undefined && ids.has(fileId)) {
        remark(`The attachment ${quoted(fileId)} is listed twice; it was imported once.`);
        return [];
      }
      if (fileId !== undefined) ids.add(fileId);
      const isAlone = files.filter((other) => textOf(other.filename) === filename).length === 1;
      return [this.toAttachment(id, { ...file, id: fileId, filename }, isAlone)];
    });
    return { ...version, attachments };
  }

  /** @param isAlone whether no other file of the entry has this name, so that the file can also be found by its name */
  private toAttachment(
    entryId: number,
    file: Loose & { readonly filename: string },
    isAlone: boolean,
  ): ImportedAttachment {
    const { filename, size, checksum } = file;
    const id = textOf(file.id);
    const paths = [
      ...(id === undefined || id === '' ? [] : [`/attachment/${encodeURIComponent(id)}`]),
      ...(isAlone && filename !== '' ? [`/logs/attachments/${entryId}/${encodeURIComponent(filename)}`] : []),
    ];
    return {
      id: id === '' ? undefined : id,
      filename: filename === '' ? String(id) : filename,
      fileMetadataDescription: textOf(file.fileMetadataDescription) || undefined,
      size: typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : undefined,
      checksum: typeof checksum === 'string' && /^[0-9a-f]{64}$/.test(checksum) ? checksum : undefined,
      open: async (signal) => {
        const failed: ItemFailure[] = [];
        for (const path of paths) {
          const content = await this.requests.open(path, signal);
          if (!(content instanceof ItemFailure)) return content;
          failed.push(content);
        }
        for (const failure of failed) if (!(await this.requests.meansAbsent(failure, signal))) return failure;
        return undefined;
      },
    };
  }

  private async listArchived(id: number, signal: AbortSignal): Promise<ArchivedList> {
    const shown = await this.archive.list(id, signal);
    if (shown instanceof ItemFailure) {
      const remark = `The earlier versions of this entry are missing. ${shown.reason}`;
      return { versions: [], remarks: [remark], isUnreadable: true };
    }
    const losses = new Set<string>();
    const versions = shown.versions.map((version) =>
      this.toVersion(id, version, (sentence, isLoss) => isLoss && losses.add(sentence)),
    );
    return {
      versions,
      remarks: [...losses],
      ...(shown.hidden !== undefined && { hidden: shown.hidden }),
      ...(shown.isUncertain && { isUnreadable: true }),
    };
  }
}
