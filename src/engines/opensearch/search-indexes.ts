import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type IndexMeta, indexBody, indexFormat, indexSort } from './index-mapping.js';
import { OpenSearchError } from './opensearch-errors.js';
import type { SearchCluster } from './search-cluster.js';

/** Time limit for requests for the state of an index. */
const stateTimeoutMs = 3_000;
const cursorId = 'cursor';

/** Error for an index that belongs to another logbook or another program. */
export class ForeignIndex extends Error {}

export interface FoundIndex {
  readonly name: string;
  /** Unique id; differs even between indexes of the same name. */
  readonly uuid: string;
  readonly format: number;
  /**
   * Number of the newest redaction when the index was created. The index has never contained the content that this
   * redaction removed.
   */
  readonly redaction: number;
  /** Whether the documents are stored in search order; if not, searches are slower but correct. */
  readonly isSorted: boolean;
}

/** Writes that an index contains. */
export interface Cursor {
  /** All writes up to this position are included; undefined: none. */
  readonly position: string | undefined;
  /** Positions of included writes after `position`. */
  readonly ahead: readonly string[];
  /** Reason why the index must no longer be used; undefined: it may be used. */
  readonly invalid?: string;
}

interface Described {
  readonly aliases?: Readonly<Record<string, object>>;
  readonly mappings?: { readonly _meta?: Partial<IndexMeta> };
  readonly settings?: { readonly index?: { readonly uuid?: string; readonly sort?: object } };
}
type Descriptions = Readonly<Record<string, Described>>;

/**
 * Returns the alias that searches use. Each format has its own, so that two versions of the program can search side by
 * side.
 */
export const searchAlias = (indexName: string, format: number): string =>
  format === 1 ? indexName : `${indexName}-format-${format}`;

/** Returns the aliases of this format and all earlier ones, separated by commas. */
const aliasesUpTo = (indexName: string, format: number): string =>
  Array.from({ length: format }, (_, earlier) => searchAlias(indexName, format - earlier)).join();

/** Returns the alias for writes to an index. Without it, a write to a removed index would create a new one. */
export const writesTo = (name: string): string => `${name}-writes`;

/** Indexes of a logbook: the one in use, those being built, and those of earlier versions. */
export class SearchIndexes {
  /** @param format index format that this version reads and writes */
  constructor(
    private readonly cluster: SearchCluster,
    readonly storeId: string,
    readonly format: number,
  ) {}

  /**
   * Returns the index that searches use; undefined: there is none.
   * @throws ForeignIndex when an alias of this or an earlier format leads to an index of another logbook, or the alias
   * of this format leads to several indexes
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

  /** Returns an unfinished index that was created at or after this redaction; undefined: there is none. */
  async findUnfinished(redaction: number): Promise<string | undefined> {
    const found = await this.listOurs();
    return found.find(([, one]) => {
      const meta = one.mappings?._meta;
      const isUsable = meta?.format === this.format && (meta.redaction ?? 0) >= redaction && isSorted(one);
      return isUsable && !this.isCurrent(one);
    })?.[0];
  }

  /**
   * Creates an empty index that no search uses yet; returns its name.
   * @param redaction number of the newest redaction
   */
  async create(redaction: number): Promise<string> {
    const name = `${this.cluster.options.indexName}-${this.format}-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`;
    const body = indexBody({ storeId: this.storeId, format: this.format, redaction }, this.cluster.options.replicas);
    await this.cluster.send('PUT', `/${name}`, { body: { ...body, aliases: { [writesTo(name)]: {} } } });
    return name;
  }

  /** Switches searches to this index atomically, and removes all other indexes of its format. */
  async switchTo(name: string): Promise<void> {
    const others = (await this.listOurs()).filter(
      ([other, one]) => other !== name && (one.mappings?._meta?.format === this.format || this.isCurrent(one)),
    );
    const removals = others.map(([other]) => ({ remove_index: { index: other } }));
    const actions = [...removals, { add: { index: name, alias: this.alias } }];
    await this.cluster.send('POST', '/_aliases', { body: { actions } });
  }

  /** Lists the indexes of this logbook in earlier formats, which nodes of an earlier version may still use. */
  async listEarlier(): Promise<FoundIndex[]> {
    return (await this.listOurs()).map(toFoundIndex).filter(({ format }) => format < this.format);
  }

  async remove(name: string): Promise<void> {
    await this.cluster.send('POST', '/_aliases', { body: { actions: [{ remove_index: { index: name } }] } });
  }

  /** Returns the stored cursor of an index; an empty cursor if none is stored. */
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

  /** Makes all writes to the index visible to searches. */
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

  /**
   * Whether the index belongs to this logbook. A copy of the logbook may use a longer name: `logbook-test-1-…` does not
   * belong to `logbook`.
   */
  private isOurs(name: string, { mappings }: Described): boolean {
    const ending = name.slice(this.cluster.options.indexName.length);
    return /^-\d+-[0-9a-z]+$/.test(ending) && mappings?._meta?.storeId === this.storeId;
  }

  private isCurrent({ aliases }: Described): boolean {
    return aliases !== undefined && this.alias in aliases;
  }

  private describeForeign(name: string, owner: string | undefined): string {
    const whose = owner === undefined ? 'does not belong to a logbook' : `belongs to the logbook ${owner}`;
    return `opensearchIndex=${this.cluster.options.indexName} leads to the index “${name}”, which ${whose}. The database belongs to the logbook ${this.storeId}. Nothing was changed. Correct opensearchIndex or the database; each logbook needs a name of its own.`;
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

/** Returns the owner of the index that searches use, and whether it is outdated; undefined: there is no index. */
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
