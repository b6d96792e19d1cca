import { isRecord, readLevels, readLogbookItems, readProperties, readTags } from '../../imports/entry-values.js';
import type {
  CatalogItems,
  CatalogKind,
  ImportedCatalog,
  UnreadItem,
  UnreadList,
} from '../../imports/import-source.port.js';
import { quoted } from '../../kernel/fault.js';
import { absentId, ItemFailure, type ItemRequests } from './item-requests.js';

const paths: Readonly<Record<CatalogKind, string>> = {
  tags: '/tags',
  logbooks: '/logbooks',
  levels: '/levels',
  properties: '/properties?inactive=true',
};

/** Name that no item of any service has. */
const absentName = `no-item-${absentId}`;
/** Lists that every service of this family has. */
const requiredPaths = [paths.tags, paths.logbooks, paths.properties];
/** Limits of the lists of Olog servers: in Docker, by default, and as set by operators. */
const usualLimits = [10, 100, 1_000];
/** Name of this program, which does not cut lists, on the start page of the service. */
const ownName = 'Logbook Service';

/** Reads the lists of a service, and single items of the catalogue, because some services cut their lists. */
export class CatalogRequests {
  private isUncut: Promise<boolean> | undefined;

  constructor(private readonly requests: ItemRequests) {}

  async readAll(signal: AbortSignal): Promise<ImportedCatalog> {
    const list = <K extends CatalogKind>(kind: K) =>
      this.readList(paths[kind], (body) => readItems(kind, body), signal);
    return {
      tags: await list('tags'),
      logbooks: await list('logbooks'),
      levels: await list('levels'),
      properties: await list('properties'),
    };
  }

  /** Reads a list, which older services may not have. */
  async readList<T>(
    path: string,
    read: (body: unknown) => readonly T[],
    signal: AbortSignal,
  ): Promise<readonly T[] | UnreadList> {
    const answer = await this.requests.find(path, `/${absentName}`, signal);
    if (answer instanceof ItemFailure) {
      if (answer.hasMissingStatus || (answer.isAbsent && !requiredPaths.includes(path))) {
        return { reason: `The source does not have the list ${quoted(path)}.`, isProblem: false };
      }
      return { reason: `A list was not imported. ${answer.reason}`, isProblem: true };
    }
    if (Array.isArray(answer.body)) return read(answer.body);
    return { reason: `The source responded to ${quoted(path)} with something other than a list.`, isProblem: true };
  }

  async findItem<K extends CatalogKind>(
    kind: K,
    name: string,
    signal: AbortSignal,
  ): Promise<CatalogItems[K] | UnreadItem | undefined> {
    const pathOf = (one: string) => `/${kind}/${encodeURIComponent(one)}`;
    const answer = await this.requests.find(pathOf(name), pathOf(absentName), signal);
    if (answer instanceof ItemFailure) {
      // Some servers refuse a path with an encoded slash, for example, at each attempt.
      return answer.isAbsent ? undefined : { reason: answer.reason, isProblem: answer.status !== 400 };
    }
    const [item] = isRecord(answer.body) ? readItems(kind, [answer.body]) : [];
    return item?.name === name ? item : undefined;
  }

  async mayCutList(count: number, signal: AbortSignal): Promise<boolean> {
    if (!usualLimits.includes(count)) return false;
    this.isUncut ??= this.isOwnService(signal);
    return !(await this.isUncut);
  }

  adviseOnCutList(kind: CatalogKind): string {
    return `An Olog server shows at most elasticsearch.result.size.${kind} items. If it has more, raise this number in its application.properties, restart it, and import again.`;
  }

  private async isOwnService(signal: AbortSignal): Promise<boolean> {
    const answer = await this.requests.getJson('/', signal);
    return !(answer instanceof ItemFailure) && isRecord(answer.body) && answer.body.name === ownName;
  }
}

function readItems<K extends CatalogKind>(kind: K, body: unknown): CatalogItems[K][] {
  const readers: { readonly [Kind in CatalogKind]: (body: unknown) => readonly CatalogItems[Kind][] } = {
    tags: readTags,
    logbooks: readLogbookItems,
    levels: readLevels,
    properties: (list) => readProperties(list).map((one) => ({ ...one, attributes: withoutDoubles(one.attributes) })),
  };
  return withoutDoubles(readers[kind](body));
}

function withoutDoubles<T extends { readonly name: string }>(named: readonly T[]): T[] {
  return [...new Map(named.map((one) => [one.name, one])).values()];
}
