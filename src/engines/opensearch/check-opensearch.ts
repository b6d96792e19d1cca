import type { Finding } from '../../kernel/finding.js';
import type { Log } from '../../kernel/log.js';
import { describeOpenSearchError } from './describe-opensearch-error.js';
import { OpenSearchError } from './opensearch-errors.js';
import type { OpenSearchOptions } from './opensearch-options.js';
import { SearchCluster } from './search-cluster.js';
import { describeIndex } from './search-indexes.js';

const supportedVersion = /^OpenSearch 2[.]/;

interface Health {
  readonly status: string;
  readonly number_of_data_nodes: number;
}

/** Checks each node, and whether the user may use the index. Changes nothing. */
export async function checkOpenSearch(options: OpenSearchOptions, log: Log): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const node of options.nodes) findings.push(await checkNode({ ...options, nodes: [node] }, log));
  return findings;
}

async function checkNode(options: OpenSearchOptions, log: Log): Promise<Finding> {
  const [node = ''] = options.nodes;
  const cluster = new SearchCluster(options, log);
  try {
    const { version, name } = await cluster.info({ timeoutMs: options.requestTimeoutMs });
    if (!supportedVersion.test(version)) return problem(`${version} at ${node} is not supported. Use OpenSearch 2.`);
    const health = await cluster.send<Health>('GET', '/_cluster/health', { timeoutMs: options.requestTimeoutMs });
    const place = `${version} at ${node} (cluster “${name}”, ${health.number_of_data_nodes} data nodes, state ${health.status})`;
    if (health.status === 'red') return problem(`${place}: a part of an index is not available. Bring its node back.`);
    const found = await describeIndex(cluster);
    if (!found) return { isProblem: false, text: `${place}: there is no index “${options.indexName}” yet` };
    if (found.storeId === undefined) {
      return problem(`${place}: “${options.indexName}” is not an index of a logbook. Correct opensearchIndex.`);
    }
    const state = found.isOutdated ? ', and is rebuilt at the start' : '';
    return {
      isProblem: false,
      text: `${place}: “${options.indexName}” belongs to the logbook ${found.storeId}${state}`,
    };
  } catch (error) {
    return problem(describe(error, options, node));
  } finally {
    cluster.close();
  }
}

/**
 * Returns the clock of the first node, in milliseconds since the epoch: the middle of the second that it reports. Its
 * responses have no `Date` header.
 * @throws Error when it reports no time
 */
export async function readNodeClock(options: OpenSearchOptions, log: Log): Promise<number> {
  const cluster = new SearchCluster(options, log);
  try {
    const path = '/_cat/health?format=json&h=epoch';
    const rows = await cluster.send<{ epoch: string }[]>('GET', path, { timeoutMs: options.requestTimeoutMs });
    const epochSeconds = Number(rows[0]?.epoch);
    if (!Number.isSafeInteger(epochSeconds)) throw new Error('the node reports no time');
    return epochSeconds * 1_000 + 500;
  } finally {
    cluster.close();
  }
}

const problem = (text: string): Finding => ({ isProblem: true, text });

function describe(error: unknown, options: OpenSearchOptions, node: string): string {
  if (error instanceof OpenSearchError) return describeOpenSearchError(error, options, node);
  return `${node}: ${error instanceof Error ? error.message : String(error)}`;
}
