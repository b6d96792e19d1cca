import type { EntryWrite, EntryWriteReader } from '../../entries/entry-writes.port.js';
import { toIndexDocument } from './index-document.js';
import { OpenSearchError } from './opensearch-errors.js';
import type { SearchCluster } from './search-cluster.js';
import { writesTo } from './search-indexes.js';

/** Target size of a request, in bytes. Its last document may exceed it. */
const maxRequestBytes = 4_194_304;
/** Maximum number of entries read and split into words concurrently. */
const parallelEntries = 8;

interface BulkAnswer {
  readonly errors: boolean;
  readonly items: readonly {
    readonly index: {
      readonly _id: string;
      readonly status: number;
      readonly error?: { type?: string; reason?: string };
    };
  }[];
}

export class IndexWriter {
  constructor(
    private readonly cluster: SearchCluster,
    private readonly entryWrites: Pick<EntryWriteReader, 'findSearchable'>,
  ) {}

  /**
   * Indexes the current versions of the written entries. Writes may be repeated and may arrive in any order: OpenSearch
   * keeps the document of the latest write.
   * @throws OpenSearchError
   */
  async write(name: string, writes: readonly EntryWrite[], signal: AbortSignal): Promise<void> {
    let lines: string[] = [];
    let bytes = 0;
    for (let at = 0; at < writes.length; at += parallelEntries) {
      signal.throwIfAborted();
      const some = writes.slice(at, at + parallelEntries);
      for (const pair of await Promise.all(some.map((write) => this.toLines(write)))) {
        lines.push(...pair);
        bytes += Buffer.byteLength(pair[1]);
        if (bytes < maxRequestBytes) continue;
        await this.send(name, lines, signal);
        [lines, bytes] = [[], 0];
      }
    }
    if (lines.length > 0) await this.send(name, lines, signal);
  }

  private async toLines({ id, revision, order }: EntryWrite): Promise<[action: string, document: string]> {
    // The entry may already include a later write, which will be indexed again with a higher order.
    const entry = await this.entryWrites.findSearchable(id);
    // Entries are never removed: a missing one means that the storage was just restored from an older copy.
    if (!entry) throw new Error(`entry ${id} was listed and is not stored`);
    const action = { index: { _id: String(id), version: order, version_type: 'external' } };
    return [JSON.stringify(action), JSON.stringify(await toIndexDocument(entry, revision))];
  }

  private async send(name: string, lines: readonly string[], signal: AbortSignal): Promise<void> {
    const answer = await this.cluster.send<BulkAnswer>('POST', `/${writesTo(name)}/_bulk`, {
      query: { require_alias: true, filter_path: 'errors,items.*._id,items.*.status,items.*.error' },
      lines: lines as unknown as object[],
      signal,
    });
    if (!answer.errors) return;
    // 409: the index already has a later write of this entry.
    const failed = answer.items.find(({ index }) => index.status >= 300 && index.status !== 409)?.index;
    if (!failed) return;
    const { status, error, _id: id } = failed;
    const summary = status === 429 ? 'OpenSearch is overloaded' : `OpenSearch does not index the entry ${id}`;
    throw new OpenSearchError(status, error?.type ?? 'unknown', summary, error);
  }
}
