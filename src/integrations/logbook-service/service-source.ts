import {
  isRecord,
  type Loose,
  listOf,
  namedOf,
  type Remark,
  readProperties,
  readVersion,
  stateOf,
  textOf,
} from '../../imports/entry-values.js';
import type {
  ImportSource,
  SourceAttachment,
  SourceBatch,
  SourceCatalog,
  SourceContent,
  SourceEntry,
  SourceVersion,
} from '../../imports/import-source.port.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { EntryWalk, hitsOf, idOf } from './entry-walk.js';
import { type ServiceAddress, ServiceConnection, SourceRefused, UnexpectedStatus } from './service-connection.js';

type Template = Awaited<ReturnType<ImportSource['listTemplates']>>[number];

const ignore: Remark = () => undefined;

/** A running service of this family, read by its REST API. */
export class ServiceSource implements ImportSource {
  readonly hasDerivedCatalog = false;
  readonly name: string;
  private readonly connection: ServiceConnection;

  constructor(address: ServiceAddress) {
    const { url } = address;
    this.name = `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
    this.connection = new ServiceConnection(address);
  }

  async readCatalog(signal: AbortSignal): Promise<SourceCatalog> {
    const list = async (path: string, what: string) =>
      withoutDoubles(namedOf(await this.getList(path, signal), what, ignore));
    return {
      tags: (await list('/tags', 'tag')).map(({ name, state }) => ({ name, state: stateOf(state) })),
      logbooks: (await list('/logbooks', 'logbook')).map(({ name, owner, state }) => ({
        name,
        owner: textOf(owner) ?? '',
        state: stateOf(state),
      })),
      levels: (await list('/levels', 'level')).map(({ name, defaultLevel }) => ({
        name,
        defaultLevel: defaultLevel === true,
      })),
      properties: withoutDoubles(readProperties(await this.getList('/properties?inactive=true', signal), ignore)).map(
        (property) => ({ ...property, attributes: withoutDoubles(property.attributes) }),
      ),
    };
  }

  async listTemplates(signal: AbortSignal): Promise<readonly Template[]> {
    const body = await this.getList('/templates', signal).catch((error: unknown) => {
      // Older services have none.
      if (error instanceof UnexpectedStatus && error.status === 404) return [];
      throw error;
    });
    return listOf(body).flatMap((template) => {
      const id = textOf(template.id);
      if (id === undefined || id === '') return [];
      const { events: _, state: __, ownerName: ___, ...fields } = readVersion(template, ignore);
      return [{ ...fields, id, name: (textOf(template.name) || fields.title || id).trim() }];
    });
  }

  async *walk(position: string | undefined, signal: AbortSignal): AsyncGenerator<SourceBatch> {
    for await (const page of new EntryWalk(this.connection, position, signal).pages()) {
      const entries = page.entries.flatMap((entry) => this.toEntry(entry) ?? []);
      const remarks = page.entries
        .filter((entry) => idOf(entry) === undefined)
        .map(({ id }) => `An entry has no number as its id, but ${quoted(id)}; it was left out.`);
      yield { entries, remarks, position: page.position };
    }
  }

  async find(id: number, signal: AbortSignal): Promise<SourceEntry | undefined> {
    const found = await this.connection.getJson(`/logs/${id}`, signal, 2).catch((error: unknown) => {
      // Some services answer for an entry that they do not have as for a failure.
      if (error instanceof UnexpectedStatus && [400, 404, 410, 500].includes(error.status)) return undefined;
      throw error;
    });
    return isRecord(found) && idOf(found) === id ? this.toEntry(found) : undefined;
  }

  async count(signal: AbortSignal): Promise<number | undefined> {
    const body = await this.connection.getJson('/logs/search?size=1', signal);
    return isRecord(body) && typeof body.hitCount === 'number' ? body.hitCount : undefined;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async getList(path: string, signal: AbortSignal): Promise<unknown> {
    const body = await this.connection.getJson(path, signal);
    if (Array.isArray(body)) return body;
    throw new Fault(
      'invalid',
      'import.source-invalid',
      `The source responded to ${quoted(path)} with something else than a list. Check the address, with its root path.`,
    );
  }

  private toEntry(entry: Loose): SourceEntry | undefined {
    const id = idOf(entry);
    if (id === undefined) return undefined;
    const remarks: string[] = [];
    const current = this.toVersion(id, entry, (sentence) => remarks.push(sentence));
    return {
      key: String(id),
      id,
      current,
      inReplyTo: undefined,
      remarks: [...new Set(remarks)],
      listArchived: async (signal) => this.listArchived(id, signal),
    };
  }

  private toVersion(id: number, entry: Loose, remark: Remark): SourceVersion {
    const version = readVersion(entry, remark);
    const files = listOf(entry.attachments);
    const attachments = files.flatMap((file): SourceAttachment[] => {
      const filename = textOf(file.filename) ?? textOf(file.name) ?? '';
      const fileId = textOf(file.id);
      if (filename === '' && fileId === undefined) {
        remark('An attachment with neither id nor file name was left out.');
        return [];
      }
      const isAlone = files.filter((other) => textOf(other.filename) === filename).length === 1;
      return [this.toAttachment(id, { ...file, id: fileId, filename }, isAlone)];
    });
    return { ...version, attachments };
  }

  /** @param isAlone whether no other file of the entry has its name: files are found by their names too */
  private toAttachment(
    entryId: number,
    file: Loose & { readonly filename: string },
    isAlone: boolean,
  ): SourceAttachment {
    const { filename, size, checksum } = file;
    const id = textOf(file.id);
    const byName = `/logs/attachments/${entryId}/${encodeURIComponent(filename)}`;
    return {
      id: id === '' ? undefined : id,
      filename: filename === '' ? String(id) : filename,
      fileMetadataDescription: textOf(file.fileMetadataDescription) || undefined,
      size: typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : undefined,
      checksum: typeof checksum === 'string' && /^[0-9a-f]{64}$/.test(checksum) ? checksum : undefined,
      open: async (signal) => {
        const content =
          id === undefined ? undefined : await this.openFile(`/attachment/${encodeURIComponent(id)}`, signal);
        return content ?? (isAlone && filename !== '' ? this.openFile(byName, signal) : undefined);
      },
    };
  }

  private async openFile(path: string, signal: AbortSignal): Promise<SourceContent | undefined> {
    const content = await this.connection.open(path, signal).catch((error: unknown) => {
      // The failure of one file, which a repetition has not changed, must not end the import.
      if (error instanceof UnexpectedStatus && error.status >= 500) return undefined;
      if (error instanceof SourceRefused && error.status === 403) return undefined;
      throw error;
    });
    return content && { content, mediaType: content.headers['content-type'] };
  }

  /** The versions of an entry are found under ids such as `42_v1`, sometimes twice, and in any order. */
  private async listArchived(id: number, signal: AbortSignal) {
    const remarks: string[] = [];
    const body = await this.connection.getJson(`/logs/archived/${id}`, signal).catch((error: unknown) => {
      if (error instanceof UnexpectedStatus && error.status === 404) return [];
      throw error;
    });
    const hits = hitsOf(body);
    const hitCount = isRecord(body) && typeof body.hitCount === 'number' ? body.hitCount : hits.length;
    if (hitCount > hits.length) {
      remarks.push(`The source has ${hitCount} earlier versions and shows ${hits.length} of them.`);
    }
    const versions = hits
      .map((hit, place) => ({ version: this.toVersion(id, hit, ignore), number: versionOf(hit, hits.length - place) }))
      .sort((one, other) => editedMs(one.version) - editedMs(other.version) || one.number - other.number);
    return { versions: versions.map(({ version }) => version), remarks };
  }
}

const editedMs = ({ modifyDate, createdDate }: SourceVersion) => modifyDate ?? createdDate;

function versionOf({ id, version }: Loose, otherwise: number): number {
  const [, number] = /_v?(\d{1,9})$/.exec(String(id)) ?? [];
  if (number !== undefined) return Number(number);
  return typeof version === 'number' ? version : otherwise;
}

function withoutDoubles<T extends { readonly name: string }>(named: readonly T[]): T[] {
  return [...new Map(named.map((one) => [one.name, one])).values()];
}
