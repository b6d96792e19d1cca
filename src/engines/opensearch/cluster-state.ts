import { CachedCheck } from '../../kernel/cached-check.js';
import type { SearchIndexStatus } from '../../search/search-index.port.js';
import { toOpenSearchError } from './opensearch-errors.js';
import type { ClusterInfo, SearchCluster } from './search-cluster.js';

/** Time limits for one node and for all nodes in turn, below the time that load balancers wait for `/readyz`. */
const limits = { timeoutMs: 1_500, limitMs: 4_000 };
/** Maximum age of a reused result. Anybody may request a check. */
const validMs = 2_000;

type State = Omit<SearchIndexStatus, 'status' | 'unindexedWrites'> & {
  /** Reason why the cluster cannot be used; undefined when it can. */
  readonly problem: string | undefined;
};

export class ClusterState {
  private readonly state = new CachedCheck(validMs, () => this.ask());
  private known: ClusterInfo = { name: '', id: '', version: 'OpenSearch' };

  constructor(private readonly cluster: SearchCluster) {}

  /** Never rejects. */
  read(): Promise<State> {
    return this.state.read();
  }

  private async ask(): Promise<State> {
    let problem: string | undefined;
    try {
      this.known = await this.cluster.info(limits);
    } catch (error) {
      problem = toOpenSearchError(error).summary;
    }
    const { name, id, version } = this.known;
    const hosts = this.cluster.options.nodes.map((node) => new URL(node));
    return {
      problem,
      clusterName: name,
      clusterId: id,
      version,
      host: hosts.map(({ hostname }) => hostname).join(','),
      port: hosts.map(({ port, protocol }) => port || (protocol === 'https:' ? '443' : '80')).join(','),
      engine: 'OPENSEARCH',
      servers: this.cluster.servers,
    };
  }
}
