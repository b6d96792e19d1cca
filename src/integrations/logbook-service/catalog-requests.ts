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
/** Characters in a path that some servers and proxies refuse or change. */
const oddName = /[/\\%;]/;
/** Lists that every service of this family has. */
const requiredPaths = [paths.tags, paths.logbooks, paths.properties];
/** Limits of the lists of Olog servers: in Docker, by default, and as set by operators. */
const usualLimits = [10, 100, 1_000];
/** Name of this program, which does not cut lists, on the start page of the service. */
const ownName = 'Logbook Service';

/** Reads the lists of a service, and single items of the catalogue, because some services cut their lists. */
export class CatalogRequests {
  private isUncut: Promise<boolean> | undefined;
  /** Name of an item that the list of a kind shows. */
  private readonly listed = new Map<CatalogKind, string>();

  constructor(private readonly requests: ItemRequests) {}

  async readAll(signal: AbortSignal): Promise<ImportedCatalog> {
    const list = async <K extends CatalogKind>(kind: K) => {
      const items = await this.readList(paths[kind], (body) => readItems(kind, body), signal);
      const first = 'reason' in items ? undefined : items.find(({ name }) => !oddName.test(name));
      if (first) this.listed.set(kind, first.name);
      return items;
    };
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
      // Olog servers respond with 404 to a list that they cannot read from their search engine.
      if ((answer.isNotFound || answer.isAbsent) && !requiredPaths.includes(path)) {
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
    isExpected = true,
  ): Promise<CatalogItems[K] | UnreadItem | undefined> {
    const attempts = isExpected ? undefined : 1;
    const answer = await this.requests.find(pathOf(kind, name), pathOf(kind, absentName), signal, attempts);
    const found = answer instanceof ItemFailure ? undefined : itemIn(kind, name, answer.body);
    if (found) return found;
    const reason = answer instanceof ItemFailure ? answer.reason : 'The source responded with something else.';
    // Some servers and proxies always refuse such a path, even with 404 if they have the item.
    if (oddName.test(name)) return { reason, isProblem: false };
    if (answer instanceof ItemFailure && !answer.isAbsent) return { reason, isProblem: answer.status !== 400 };
    if (!isExpected || (await this.findsListed(kind, signal))) return undefined;
    return { reason: `${reason} It does not find a listed item either.`, isProblem: true };
  }

  async mayCutList(count: number, signal: AbortSignal): Promise<boolean> {
    if (!usualLimits.includes(count)) return false;
    this.isUncut ??= this.isOwnService(signal);
    return !(await this.isUncut);
  }

  adviseOnCutList(kind: CatalogKind): string {
    return `An Olog server shows at most elasticsearch.result.size.${kind} items. If it has more, raise this number in its application.properties, restart it, and import again.`;
  }

  /**
   * Whether the source finds an item that it lists. During an outage of its search engine, an Olog server responds as
   * if it had no items.
   */
  private async findsListed(kind: CatalogKind, signal: AbortSignal): Promise<boolean> {
    const name = this.listed.get(kind);
    if (name === undefined) return true;
    const answer = await this.requests.getJson(pathOf(kind, name), signal, 1);
    return !(answer instanceof ItemFailure) && itemIn(kind, name, answer.body) !== undefined;
  }

  private async isOwnService(signal: AbortSignal): Promise<boolean> {
    const answer = await this.requests.getJson('/', signal);
    return !(answer instanceof ItemFailure) && isRecord(answer.body) && answer.body.name === ownName;
  }
}

const pathOf = (kind: CatalogKind, name: string) => `/${kind}/${encodeURIComponent(name)}`;

/** Returns the item with this name; undefined when the response is another one. */
function itemIn<K extends CatalogKind>(kind: K, name: string, body: unknown): CatalogItems[K] | undefined {
  const [item] = isRecord(body) ? readItems(kind, [body]) : [];
  return item?.name === name ? item : undefined;
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
