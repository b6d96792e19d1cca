import type { OpenSearchOptions } from '../engines/opensearch/opensearch-options.js';
import type { IndexOptions } from '../engines/storage-options.js';
import { readSecret } from './file-path.js';
import { parseServerUrl } from './setting-parsers.js';
import { caFile, count, duration, list, optional, optionalText, positiveCount, setting } from './setting-types.js';
import { findUnused } from './unused-settings.js';

/** Where entries are searched. */
export const indexSettings = {
  index: setting(
    'embedded|opensearch',
    'embedded',
    'Where entries are searched. embedded: in an index in the data directory of each process; opensearch: in an index of an OpenSearch cluster, see the documentation of OpenSearch.',
    parseIndex,
  ),
  replicaSnapshotInterval: duration(
    '1d',
    'With storage=postgres and index=embedded: how often one of the nodes stores a snapshot of its entries and index next to the files of attachments, with which new nodes begin. 0s: this node stores none, but still begins with one.',
    { zero: true },
  ),
  opensearchNodes: list(
    'URLS',
    '',
    'With index=opensearch: URLs of the nodes of the cluster, such as https://search1.example.org:9200; comma-separated. The next is used when one fails.',
    parseServerUrl('https://search1.example.org:9200'),
  ),
  opensearchIndex: setting(
    'NAME',
    'logbook',
    'With index=opensearch: the alias of the index, and what the names of all indexes of this logbook begin with. Each logbook needs a name of its own.',
    parseIndexName,
  ),
  opensearchUser: optionalText('NAME', 'With index=opensearch: user name. Empty: the cluster wants no credentials.'),
  opensearchPassword: { ...optionalText('TEXT', 'With index=opensearch: password of that user.'), secret: true },
  opensearchPasswordFile: {
    ...optional('FILE', 'With index=opensearch: file with the password, instead of opensearchPassword.', (path) => ({
      password: readSecret(path),
    })),
    isFile: true,
    secret: true,
  },
  opensearchCaFile: caFile(
    'With index=opensearch: PEM file with the certificates of the authorities (CAs) to trust. Empty: the public CAs.',
  ),
  opensearchReplicas: count(
    '1',
    'With index=opensearch: how many copies of the index the cluster keeps in addition to the first, each on another node; 0 for a cluster of one node. A change applies to indexes that are built after it.',
  ),
  opensearchRequestTimeout: duration('30s', 'With index=opensearch: how long one request may take.'),
  opensearchMaxConnections: positiveCount(
    '50',
    'With index=opensearch: number of connections of each process to one node.',
  ),
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
 * Finds what is wrong with these settings together.
 * @param isSet whether the setting has a text of its own
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
    problems.push('opensearchNodes is not set, which index=opensearch needs: set it');
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
