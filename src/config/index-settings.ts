import type { OpenSearchOptions } from '../engines/opensearch/opensearch-options.js';
import type { IndexOptions } from '../engines/storage-options.js';
import { readSecret } from './file-path.js';
import { parseServerUrl } from './setting-parsers.js';
import { caFile, count, duration, list, optional, optionalText, positiveCount, setting } from './setting-types.js';
import { findUnused } from './unused-settings.js';

/** Settings for the search index. */
export const indexSettings = {
  index: setting(
    'embedded|opensearch',
    'embedded',
    'Where entries are searched: in the data directory of each process, or in an OpenSearch cluster.',
    parseIndex,
  ),
  replicaSnapshotInterval: duration(
    '1d',
    'With storage=postgres and index=embedded: how often a node stores a snapshot from which new nodes start. 0s: this node stores none.',
    { zero: true },
  ),
  opensearchNodes: list(
    'URLS',
    '',
    'With index=opensearch: URLs of the nodes, such as https://search1.example.org:9200; comma-separated. If one fails, the next is used.',
    parseServerUrl('https://search1.example.org:9200'),
  ),
  opensearchIndex: setting(
    'NAME',
    'logbook',
    'With index=opensearch: alias for searches; the names of the indexes begin with it. Each logbook needs its own.',
    parseIndexName,
  ),
  opensearchUser: optionalText('NAME', 'With index=opensearch: user name. Empty: no credentials.'),
  opensearchPassword: { ...optionalText('TEXT', 'With index=opensearch: password of that user.'), secret: true },
  opensearchPasswordFile: {
    ...optional('FILE', 'With index=opensearch: file with the password, instead of opensearchPassword.', (path) => ({
      password: readSecret(path),
    })),
    isFile: true,
    secret: true,
  },
  opensearchCaFile: caFile('With index=opensearch: PEM file with the CAs to trust. Empty: the public CAs.'),
  opensearchReplicas: count(
    '1',
    'With index=opensearch: further copies of the index, each on another node; 0 for a cluster of one node.',
  ),
  opensearchRequestTimeout: duration('30s', 'With index=opensearch: how long one request may take.'),
  opensearchMaxConnections: positiveCount('50', 'With index=opensearch: connections of each process to one node.'),
} as const;

type Values = { readonly [K in keyof typeof indexSettings]: ReturnType<(typeof indexSettings)[K]['parse']> };

export function toIndexOptions(values: Values): IndexOptions {
  return values.index === 'opensearch'
    ? { kind: 'opensearch', opensearch: toOpenSearchOptions(values) }
    : { kind: 'embedded' };
}

function toOpenSearchOptions(values: Values): OpenSearchOptions {
  const password = values.opensearchPasswordFile?.password ?? values.opensearchPassword ?? '';
  return {
    nodes: values.opensearchNodes,
    indexName: values.opensearchIndex,
    credentials: values.opensearchUser === undefined ? undefined : { user: values.opensearchUser, password },
    caCertificates: values.opensearchCaFile?.pem,
    replicas: values.opensearchReplicas,
    requestTimeoutMs: values.opensearchRequestTimeout,
    maxConnections: values.opensearchMaxConnections,
  };
}

/**
 * Finds problems in the combination of these settings.
 * @param isSet whether the setting was given
 */
export function checkIndexSettings(
  { index, opensearchNodes = [] }: Partial<Values>,
  isSet: (name: keyof typeof indexSettings) => boolean,
): string[] {
  if (index === 'embedded') {
    const names = Object.keys(indexSettings) as (keyof typeof indexSettings)[];
    return findUnused(names, /^opensearch/, isSet, { chosen: 'index=embedded', needed: 'index=opensearch' });
  }
  const problems: string[] = [];
  if (index === 'opensearch' && !isSet('opensearchNodes')) {
    problems.push('index=opensearch needs opensearchNodes: set it');
  }
  if (isSet('opensearchPassword') && isSet('opensearchPasswordFile')) {
    problems.push('opensearchPassword and opensearchPasswordFile exclude each other: set one of them');
  }
  const hasPassword = isSet('opensearchPassword') || isSet('opensearchPasswordFile');
  if (isSet('opensearchUser') !== hasPassword) {
    problems.push('opensearchUser and opensearchPassword belong together: set both or neither');
  }
  const plain = opensearchNodes.find((node) => node.startsWith('http:') && !isLoopback(node));
  if (hasPassword && plain !== undefined) {
    problems.push(`opensearchNodes has ${plain}, to which the password would be sent unencrypted: use https`);
  }
  return problems;
}

function isLoopback(node: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(node).hostname);
}

function parseIndex(value: string): 'embedded' | 'opensearch' {
  if (value !== 'embedded' && value !== 'opensearch') throw new Error('it must be embedded or opensearch');
  return value;
}

function parseIndexName(value: string): string {
  if (!/^[a-z0-9][a-z0-9_]{0,60}$/.test(value)) {
    throw new Error('it must be a name of at most 61 lower-case letters, digits and underscores');
  }
  return value;
}
