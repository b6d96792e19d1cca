import type { OpenSearchError } from './opensearch-errors.js';
import type { OpenSearchOptions } from './opensearch-options.js';

/** Describes the problem with a node or the settings, and the remedy, in one or two sentences. */
export function describeOpenSearchError(
  { status, type, summary }: OpenSearchError,
  { credentials, requestTimeoutMs }: Pick<OpenSearchOptions, 'credentials' | 'requestTimeoutMs'>,
  node: string,
): string {
  const advice: Readonly<Record<string, string>> = {
    401: credentials
      ? `does not accept the user “${credentials.user}” or its password. Correct opensearchUser and opensearchPassword.`
      : 'wants a user name and a password. Set opensearchUser and opensearchPassword.',
    403: `does not permit the user “${credentials?.user ?? ''}” to use the index. Give it the permissions in docs/operator/opensearch.md.`,
  };
  const known = status === undefined || type === 'cluster_block_exception' ? undefined : advice[status];
  if (known) return `${node} ${known}`;
  if (type === 'timeout') {
    return `${node} does not answer within ${requestTimeoutMs / 1_000} s. Check opensearchNodes, and that a firewall lets the connection through.`;
  }
  if (status !== undefined) return `${node}: ${summary} (${type}).`;
  return `${node}: ${summary} (${type}). Check opensearchNodes${node.startsWith('https:') ? ' and opensearchCaFile' : ''}, and that the node runs.`;
}
