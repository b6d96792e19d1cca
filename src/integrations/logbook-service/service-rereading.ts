import type {
  CatalogItems,
  CatalogKind,
  ComparedImportSource,
  ImportedBatch,
  ImportedCatalog,
  ImportedEntry,
  ImportedVersion,
  UnreadableContent,
  UnreadList,
} from '../../imports/import-source.port.js';
import { ItemFailure, type ItemRequests } from './item-requests.js';
import { isObject, reread, rereadFiles, rereadItems, rereadTemplates } from './reread-values.js';

type Json = Record<string, unknown>;

const pageEntries = 200;
const deepest = 9_800;
/** Maximum difference between a time in UTC and the same digits in the zone of the service. */
const dayMs = 26 * 3_600_000;

/**
 * Reads a service again, for a comparison with the imported data. Except for statuses and samples of devices, it shares
 * no code that interprets responses with the import, so that a misunderstanding shows as a difference. It lists the
 * newest entries first, requests entries that no list shows by their ids, and has its own rules for the values in the
 * JSON.
 */
export class ServiceRereading implements ComparedImportSource {
  readonly hasDerivedCatalog = false;

  constructor(
    readonly name: string,
    private readonly requests: ItemRequests,
  ) {}

  async readCatalog(signal: AbortSignal): Promise<ImportedCatalog> {
    const list = async <K extends CatalogKind>(kind: K, path: string) =>
      this.readList(path, (body) => rereadItems(kind, body), signal);
    return {
      tags: await list('tags', '/tags'),
      logbooks: await list('logbooks', '/logbooks'),
      levels: await list('levels', '/levels'),
      properties: await list('properties', '/properties?inactive=true'),
    };
  }

  async findItem<K extends CatalogKind>(
    kind: K,
    name: string,
    signal: AbortSignal,
  ): Promise<CatalogItems[K] | undefined> {
    const answer = await this.requests.getJson(`/${kind}/${encodeURIComponent(name)}`, signal);
    if (answer instanceof ItemFailure || !isObject(answer.body)) return undefined;
    return rereadItems(kind, [answer.body]).find((item) => item.name === name);
  }

  listTemplates(signal: AbortSignal) {
    return this.readList('/templates', rereadTemplates, signal);
  }

  async count(signal: AbortSignal): Promise<number | undefined> {
    const answer = await this.requests.getJson('/logs/search?size=1', signal);
    if (answer instanceof ItemFailure) return undefined;
    const { hitCount } = isObject(answer.body) ? answer.body : {};
    return hitCount === undefined || hitCount === null ? undefined : Number(hitCount);
  }

  async *walk(_position: undefined, signal: AbortSignal): AsyncGenerator<ImportedBatch> {
    const seen = new Set<string>();
    let [end, oldestMs, aheadMs] = ['', Number.POSITIVE_INFINITY, 1_000];
    for (let from = 0; ; ) {
      const logs = await this.listPage(from, end, signal);
      if (logs === 'unreadable') return;
      // A service that reads times in its own zone may have skipped entries.
      if (end !== '' && from === 0 && aheadMs < dayMs && !logs.some(({ id }) => seen.has(String(id)))) {
        aheadMs = dayMs;
        end = toText(oldestMs + aheadMs);
        continue;
      }
      if (logs.length === 0) return;
      const fresh = logs.filter(({ id }) => !seen.has(String(id)));
      for (const { id, createdDate } of fresh) {
        seen.add(String(id));
        if (typeof createdDate === 'number') oldestMs = Math.min(oldestMs, createdDate);
      }
      if (fresh.length > 0) yield { entries: fresh.flatMap((log) => this.toEntry(log)), remarks: [], position: '' };
      from += logs.length;
      // After a repeated page, or the deepest one that services list, continues from the oldest date.
      if ((fresh.length > 0 || end !== '') && from <= deepest) continue;
      if (!Number.isFinite(oldestMs) || toText(oldestMs + aheadMs) === end) return;
      [end, from] = [toText(oldestMs + aheadMs), 0];
    }
  }

  async find(id: number, signal: AbortSignal): Promise<ImportedEntry | UnreadableContent | undefined> {
    const answer = await this.requests.getJson(`/logs/${id}`, signal);
    if (answer instanceof ItemFailure) return (await this.requests.meansAbsent(answer, signal)) ? undefined : answer;
    const [entry] = isObject(answer.body) ? this.toEntry(answer.body) : [];
    return entry?.id === id ? entry : undefined;
  }

  private async readList<T>(
    path: string,
    read: (body: readonly unknown[]) => readonly T[],
    signal: AbortSignal,
  ): Promise<readonly T[] | UnreadList> {
    const answer = await this.requests.getJson(path, signal);
    if (answer instanceof ItemFailure) {
      return { reason: answer.reason, isProblem: !(await this.requests.meansAbsent(answer, signal)) };
    }
    return Array.isArray(answer.body) ? read(answer.body) : { reason: 'It is not a list.', isProblem: true };
  }

  private async listPage(from: number, end: string, signal: AbortSignal): Promise<Json[] | 'unreadable'> {
    const window = end === '' ? '' : `&tz=UTC&end=${encodeURIComponent(end)}`;
    const page = from / pageEntries + 1;
    const pages = Number.isInteger(page) ? `&page=${page}` : '';
    const path = `/logs/search?sort=down&size=${pageEntries}&from=${from}${pages}${window}`;
    const answer = await this.requests.getJson(path, signal);
    if (answer instanceof ItemFailure) return 'unreadable';
    return logsOf(answer.body);
  }

  private toEntry(log: Json): ImportedEntry[] {
    if (!/^\d{1,15}$/.test(String(log.id))) return [];
    const key = String(Number(log.id));
    return [
      {
        key,
        id: Number(key),
        current: this.toVersion(key, log),
        inReplyTo: undefined,
        remarks: [],
        listArchived: (signal) => this.listArchived(key, signal),
      },
    ];
  }

  /** Lists the versions that have exactly this id. */
  private async listArchived(key: string, signal: AbortSignal) {
    const answer = await this.requests.getJson(`/logs/archived/${key}`, signal);
    if (answer instanceof ItemFailure) return { versions: [], remarks: [], hidden: answer.reason };
    const logs = logsOf(answer.body);
    const { hitCount } = isObject(answer.body) ? answer.body : {};
    const own = logs.filter(({ id }) => new RegExp(`^0*${key}(_v?\\d+)?$`).test(String(id)));
    const isCut = Number(hitCount ?? 0) > logs.length;
    const versions = own.map((log) => this.toVersion(key, log));
    return { versions, remarks: [], ...(isCut && { hidden: `${hitCount}` }) };
  }

  private toVersion(key: string, log: Json): ImportedVersion {
    const attachments = rereadFiles(log.attachments).map(({ id, filename, said: { size, checksum } }) => ({
      id,
      filename,
      fileMetadataDescription: undefined,
      size: typeof size === 'number' ? size : undefined,
      checksum: typeof checksum === 'string' && checksum.length === 64 ? checksum : undefined,
      open: (signal: AbortSignal) => this.open(key, id, filename, signal),
    }));
    return { ...reread(log), attachments };
  }

  private async open(key: string, id: string | undefined, name: string, signal: AbortSignal) {
    const paths = id === undefined ? [] : [`/attachment/${encodeURIComponent(id)}`];
    for (const path of [...paths, `/logs/attachments/${key}/${encodeURIComponent(name)}`]) {
      const content = await this.requests.open(path, signal);
      if (!(content instanceof ItemFailure)) return content;
    }
    return undefined;
  }
}

function logsOf(body: unknown): Json[] {
  const logs = isObject(body) ? body.logs : body;
  return Array.isArray(logs) ? logs.filter(isObject) : [];
}

/** Formats a time in the form that every service of this family reads. */
function toText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
}
