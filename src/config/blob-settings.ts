import type { S3Options } from '../engines/s3/s3-options.js';
import type { BlobOptions } from '../engines/storage-options.js';
import { readSecret } from './file-path.js';
import { parseServerUrl } from './setting-parsers.js';
import { caFile, duration, flag, list, optional, optionalText, positiveCount, setting, text } from './setting-types.js';
import { findUnused } from './unused-settings.js';

/** Settings for the storage of attachment files. */
export const blobSettings = {
  blobs: setting(
    'files|s3',
    'files',
    'Where the files of attachments are stored: in the data directory, or in a bucket of S3-compatible object storage.',
    parseBlobs,
  ),
  s3Endpoints: list(
    'URLS',
    '',
    'With blobs=s3: URLs of one object storage, such as https://s3.example.org:9000; comma-separated. If one fails, the next is used.',
    parseServerUrl('https://s3.example.org:9000'),
  ),
  s3Region: text('NAME', 'us-east-1', 'With blobs=s3: region of the bucket.'),
  s3Bucket: optional('NAME', 'With blobs=s3: name of the bucket, which must exist.', parseBucket),
  s3Prefix: setting(
    'TEXT',
    '',
    'With blobs=s3: beginning of the keys of all objects, such as logbook. Each logbook needs its own bucket or prefix.',
    parsePrefix,
  ),
  s3AccessKey: optionalText('TEXT', 'With blobs=s3: access key (its id, not its secret).'),
  s3SecretKey: { ...optionalText('TEXT', 'With blobs=s3: secret of the access key.'), secret: true },
  s3SecretKeyFile: {
    ...optional('FILE', 'With blobs=s3: file with the secret, instead of s3SecretKey.', (path) => ({
      secret: readSecret(path),
    })),
    isFile: true,
    secret: true,
  },
  s3CaFile: caFile('With blobs=s3: PEM file with the CAs to trust. Empty: the public CAs.'),
  s3PathStyle: flag('true', 'With blobs=s3: whether URLs have the bucket in their path, rather than in the host name.'),
  s3ConnectTimeout: duration('5s', 'With blobs=s3: how long an attempt to connect may take.'),
  s3RequestTimeout: duration(
    '30s',
    'With blobs=s3: how long a request may make no progress before it fails or is repeated.',
  ),
  s3RetryTimeout: duration('10s', 'With blobs=s3: how long failed requests are repeated before they fail with 503.'),
  s3MaxConnections: positiveCount(
    '500',
    'With blobs=s3: connections of each process to one URL for downloads, and as many for everything else. One client gets at most half of the free ones.',
  ),
} as const;

type Values = { readonly [K in keyof typeof blobSettings]: ReturnType<(typeof blobSettings)[K]['parse']> };

export function toBlobOptions(values: Values): BlobOptions {
  return values.blobs === 's3' ? { kind: 's3', s3: toS3Options(values) } : { kind: 'files' };
}

/** Returns the options of object storage. The settings without a default must have been checked. */
export function toS3Options(values: Values): S3Options {
  return {
    endpoints: values.s3Endpoints,
    region: values.s3Region,
    bucket: values.s3Bucket ?? '',
    prefix: values.s3Prefix,
    accessKey: values.s3AccessKey ?? '',
    secretKey: values.s3SecretKeyFile?.secret ?? values.s3SecretKey ?? '',
    caCertificates: values.s3CaFile?.pem,
    pathStyle: values.s3PathStyle,
    connectTimeoutMs: values.s3ConnectTimeout,
    requestTimeoutMs: values.s3RequestTimeout,
    retryTimeoutMs: values.s3RetryTimeout,
    maxConnections: values.s3MaxConnections,
  };
}

/**
 * Finds problems in the combination of these settings.
 * @param isSet whether the setting was given
 * @param isForBackups whether backups are on object storage
 */
export function checkBlobSettings(
  { blobs }: Partial<Values>,
  isSet: (name: keyof typeof blobSettings) => boolean,
  isForBackups: boolean,
): string[] {
  if (blobs === 'files' && !isForBackups) {
    const names = Object.keys(blobSettings) as (keyof typeof blobSettings)[];
    return findUnused(names, /^s3/, isSet, { chosen: 'blobs=files', needed: 'blobs=s3' });
  }
  const problems = (['s3Endpoints', 's3Bucket', 's3AccessKey'] as const)
    .filter((name) => blobs === 's3' && !isSet(name))
    .map((name) => `blobs=s3 needs ${name}: set it`);
  if (isSet('s3SecretKey') && isSet('s3SecretKeyFile')) {
    problems.push('s3SecretKey and s3SecretKeyFile exclude each other: set one of them');
  }
  if ((blobs === 's3' || isForBackups) && !isSet('s3SecretKey') && !isSet('s3SecretKeyFile')) {
    problems.push('object storage needs s3SecretKey: set it or s3SecretKeyFile');
  }
  return problems;
}

function parseBlobs(value: string): 'files' | 's3' {
  if (value !== 'files' && value !== 's3') throw new Error('it must be files or s3');
  return value;
}

export function parseBucket(value: string): string {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,62}$/.test(value)) {
    throw new Error('it must be a name of 3 to 63 letters, digits, dots, hyphens and underscores');
  }
  return value;
}

/** Returns the prefix with a trailing slash; empty if the value is empty. */
export function parsePrefix(value: string): string {
  const prefix = value.replace(/\/+$/, '');
  if (prefix === '') return '';
  if (!/^[a-zA-Z0-9._-]{1,100}(\/[a-zA-Z0-9._-]{1,100}){0,4}$/.test(prefix) || prefix.split('/').some(isDots)) {
    throw new Error(
      'it must be up to five names of letters, digits, dots, hyphens and underscores, separated by slashes',
    );
  }
  return `${prefix}/`;
}

function isDots(name: string): boolean {
  return /^\.+$/.test(name);
}
