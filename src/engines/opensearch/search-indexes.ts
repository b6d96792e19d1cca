import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type IndexMeta, indexBody, indexFormat, indexSort } from './index-mapping.js';
import { OpenSearchError } from './opensearch-errors.js';
import type { SearchCluster } from './search-cluster.js';

/** How long the questions for the state of an index may take. */
const stateTimeoutMs = 3_000;
const cursorId = 'cursor';

/** The index belongs to another logbook, or to something else. */
export class ForeignIndex extends Error {}

export interface FoundIndex {
  readonly name: string;
  /** Differs for each index, also under the same name. */
  readonly uuid: string;
  readonly format: number;
  /** The number of the newest redaction before it was begun: it has never contained what that one removed. */
  readonly redaction: number;
  /** Whether its documents are in the order in which searches return them; otherwise these are right, and slower. */
  readonly isSorted: boolean;
}

/** Which writes an index contains. */
export interface Cursor {
  /** All up to this position; undefined: none. */
  readonly position: string | undefined;
  /** The positions of those beyond. */
  readonly ahead: readonly string[];
  /** Why the index must not be used any more; undefined: it may. */
  readonly invalid?: string;
}

interface Described {
  readonly aliases?: Readonly<Record<string, object>>;
  readonly mappings?: { readonly _meta?: Partial<IndexMeta> };
  readonly settings?: { readonly index?: { readonly uuid?: string; readonly sort?: object } };
}
type Descriptions = Readonly<Record<string, Described>>;

/** The alias that searches use. Each format has one, so that two versions of the program search side by side. */
export const searchAlias = (indexName: string, format: number): string =>
  format === 1 ? indexName : `${indexName}-format-${format}`;

/** The aliases of this format and all earlier ones, separated by commas. */
const aliasesUpTo = (indexName: string, format: number): string =>
  Array.from({ length: format }, (_, earlier) => searchAlias(indexName, format - earlier)).join();

/** The alias through which an index is written: without it, a write to a removed index would create another one. */
export const writesTo = (name: string): string => `${name}-writes`;

/** The indexes of a logbook: the one that searches use, those that are being built, and those of earlier versions. */
export class SearchIndexes {
  /** @param format format of the indexes that this program writes and reads */
  constructor(
    private readonly cluster: SearchCluster,
    readonly storeId: string,
    readonly format: number,
  ) {}

  /**
   * Returns the index that searches use; undefined: there is none.
   * @throws ForeignIndex also when the name leads to an index of another logbook in an earlier format
   */
  async findCurrent(): Promise<FoundIndex | undefined> {
    const named = Object.entries(await this.describe(aliasesUpTo(this.cluster.options.indexName, this.format)));
    for (const [name, { mappings }] of named) {
      const owner = mappings?._meta?.storeId;
      if (owner !== this.storeId) throw new ForeignIndex(this.describeForeign(name, owner));
    }
    const found = named.filter(([, one]) => this.isCurrent(one));
    if (found.length > 1)
      throw new ForeignIndex(`${found.length} indexes have the alias “${this.alias}”. Remove all but one.`);
    return found[0] && toFoundIndex(found[0]);
  }

  /** Returns an index that was begun after this redaction and not completed; undefined: there is none. */
  async findUnfinished(redaction: number): Promise<string | undefined> {
    const found = await this.listOurs();
    return found.find(([, one]) => {
      const meta = one.mappings?._meta;
      const isUsable = meta?.format === this.format && (meta.redaction ?? 0) >= redaction && isSorted(one);
      return isUsable && !this.isCurrent(one);
    })?.[0];
  }

  /**
   * Creates an empty index, which no search uses yet; returns its name.
   * @param redaction the number of the newest one
   */
  async create(redaction: number): Promise<string> {
    const name = `${this.cluster.options.indexName}-${this.format}-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`;
    const body = indexBody({ storeId: this.storeId, format: this.format, redaction }, this.cluster.options.replicas);
    await this.cluster.send('PUT', `/${name}`, { body: { ...body, aliases: { [writesTo(name)]: {} } } });
    return name;
  }

  /** Makes searches use this index, at one moment, and removes all others of its format. */
  async switchTo(name: string): Promise<void> {
    const others = (await this.listOurs()).filter(
      ([other, one]) => other !== name && (one.mappings?._meta?.format === this.format || this.isCurrent(one)),
    );
    const removals = others.map(([other]) => ({ remove_index: { index: other } }));
    const actions = [...removals, { add: { index: name, alias: this.alias } }];
    await this.cluster.send('POST', '/_aliases', { body: { actions } });
  }

  /** Lists the indexes of this logbook in earlier formats, which nodes of an earlier version may use. */
  async listEarlier(): Promise<FoundIndex[]> {
    return (await this.listOurs()).map(toFoundIndex).filter(({ format }) => format < this.format);
  }

  async remove(name: string): Promise<void> {
    await this.cluster.send('POST', '/_aliases', { body: { actions: [{ remove_index: { index: name } }] } });
  }

  /** Returns what an index contains; nothing when it does not say. */
  async readCursor(name: string): Promise<Cursor> {
    const found = await this.cluster.find<{ _source?: { cursor?: Cursor } }>(`/${name}/_doc/${cursorId}`, {
      timeoutMs: stateTimeoutMs,
    });
    return found?._source?.cursor ?? { position: undefined, ahead: [] };
  }

  async storeCursor(name: string, cursor: Cursor): Promise<void> {
    await this.cluster.send('PUT', `/${writesTo(name)}/_doc/${cursorId}`, {
      query: { require_alias: true },
      body: { cursor },
    });
  }

  /** Makes everything that was written to the index visible to searches. */
  async refresh(name: string): Promise<void> {
    const answer = await this.cluster.send<{ _shards: { failed: number } }>('POST', `/${name}/_refresh`);
    if (answer._shards.failed > 0) {
      throw new OpenSearchError(503, 'refresh', 'OpenSearch cannot make the latest writes visible', answer);
    }
  }

  private get alias(): string {
    return searchAlias(this.cluster.options.indexName, this.format);
  }

  private describe(pattern: string): Promise<Descriptions> {
    return describe(this.cluster, pattern);
  }

  private async listOurs(): Promise<[name: string, Described][]> {
    const all = Object.entries(await this.describe(`${this.cluster.options.indexName}-*`));
    return all.filter(([name, one]) => this.isOurs(name, one));
  }

  /** A copy of the logbook may have indexes whose names begin in the same way: `logbook-test-1-…` is not one of `logbook`. */
  private isOurs(name: string, { mappings }: Described): boolean {
    const ending = name.slice(this.cluster.options.indexName.length);
    return /^-\d+-[0-9a-z]+$/.test(ending) && mappings?._meta?.storeId === this.storeId;
  }

  private isCurrent({ aliases }: Described): boolean {
    return aliases !== undefined && this.alias in aliases;
  }

  private describeForeign(name: string, owner: string | undefined): string {
    const whose = owner === undefined ? 'does not belong to a logbook' : `belongs to the logbook ${owner}`;
    return `The index “${name}”, which opensearchIndex=${this.cluster.options.indexName} names, ${whose}, but the database has the logbook ${this.storeId}. Nothing was changed. Correct opensearchIndex or the database; each logbook needs a name of its own.`;
  }
}

function toFoundIndex([name, description]: readonly [name: string, Described]): FoundIndex {
  const { format = 0, redaction = 0 } = description.mappings?._meta ?? {};
  return { name, uuid: description.settings?.index?.uuid ?? '', format, redaction, isSorted: isSorted(description) };
}

async function describe(cluster: SearchCluster, pattern: string): Promise<Descriptions> {
  const query = {
    filter_path: '*.aliases,*.mappings._meta,*.settings.index.uuid,*.settings.index.sort',
    expand_wildcards: 'open',
    ignore_unavailable: true,
  };
  return (await cluster.find<Descriptions>(`/${pattern}`, { query, timeoutMs: stateTimeoutMs })) ?? {};
}

function isSorted({ settings }: Described): boolean {
  return isDeepStrictEqual(settings?.index?.sort, indexSort);
}

/** Returns to whom the index that searches use belongs, and whether it is being rebuilt; undefined: there is none. */
export async function describeIndex(
  cluster: SearchCluster,
): Promise<{ readonly storeId: string | undefined; readonly isOutdated: boolean } | undefined> {
  const { indexName } = cluster.options;
  const named = Object.values(await describe(cluster, aliasesUpTo(indexName, indexFormat)));
  const alias = searchAlias(indexName, indexFormat);
  const found = named.find(({ aliases }) => aliases !== undefined && alias in aliases) ?? named[0];
  if (!found) return undefined;
  const { storeId, format } = found.mappings?._meta ?? {};
  return { storeId, isOutdated: format !== indexFormat || !isSorted(found) };
}
