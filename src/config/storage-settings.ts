import type { PostgresHost, PostgresOptions } from '../engines/postgres/postgres-options.js';
import { readSecret } from './file-path.js';
import {
  caFile,
  duration,
  flag,
  list,
  optional,
  optionalText,
  positiveCount,
  setting,
  size,
  text,
} from './setting-types.js';
import { findUnused } from './unused-settings.js';

const defaultPort = 5_432;

export const storageSettings = {
  dataDir: text('DIR', './logbook-data', 'Directory for all data. Created if it does not exist.'),
  minFreeSpace: size(
    '256MB',
    'Free disk space below which the logbook is read-only (507). On a small disk, at most a twentieth of it.',
  ),
  storage: setting(
    'embedded|postgres',
    'embedded',
    'Where everything but the files is stored: in the data directory of one process, or in a PostgreSQL database for several.',
    parseStorage,
  ),
  migrationCopy: flag(
    'true',
    'With storage=embedded: whether a start copies the database before it migrates it, so that you can go back.',
  ),
  attachmentsDir: optionalText(
    'DIR',
    'With storage=postgres and blobs=files, required: directory of the files of attachments, on a file system that all nodes share.',
  ),
  postgresHosts: list(
    'HOSTS',
    'localhost',
    'With storage=postgres: servers of the PostgreSQL group, comma-separated: db1.example.org,db2.example.org:5433. The service uses the one that takes writes.',
    parseHost,
  ),
  postgresDatabase: text('NAME', 'logbook', 'With storage=postgres: name of the database.'),
  postgresSchema: setting(
    'NAME',
    'logbook',
    'With storage=postgres: schema with the tables of the logbook.',
    parseSchema,
  ),
  postgresUser: text('NAME', 'logbook', 'With storage=postgres: role that the service signs in as.'),
  postgresPassword: { ...optionalText('TEXT', 'With storage=postgres: password of that role.'), secret: true },
  postgresPasswordFile: {
    ...optional('FILE', 'With storage=postgres: file with the password, instead of postgresPassword.', (path) => ({
      password: readSecret(path),
    })),
    isFile: true,
    secret: true,
  },
  postgresTls: flag(
    'true',
    'With storage=postgres: whether connections use TLS, with a certificate that is valid for the host name.',
  ),
  postgresCaFile: caFile('With storage=postgres: PEM file with the CAs to trust. Empty: the public CAs.'),
  postgresPoolSize: positiveCount(
    '10',
    'With storage=postgres: connections of each process for reading; two more are for writing and notifications.',
  ),
  postgresConnectTimeout: duration(
    '5s',
    'With storage=postgres: how long an attempt to connect to one server may take.',
  ),
  postgresStatementTimeout: duration('30s', 'With storage=postgres: how long one statement may take.'),
  postgresFailoverTimeout: duration(
    '20s',
    'With storage=postgres: how long requests wait for a server that takes writes before they fail with 503.',
  ),
  drainDuration: duration('0s', 'How long the service keeps serving after SIGTERM while /readyz answers 503.', {
    zero: true,
  }),
} as const;

type Values = { readonly [K in keyof typeof storageSettings]: ReturnType<(typeof storageSettings)[K]['parse']> };

export function toPostgresOptions(values: Values): PostgresOptions {
  return {
    hosts: values.postgresHosts,
    database: values.postgresDatabase,
    schema: values.postgresSchema,
    user: values.postgresUser,
    password: values.postgresPasswordFile?.password ?? values.postgresPassword,
    tls: values.postgresTls ? { kind: 'verified', caCertificates: values.postgresCaFile?.pem } : { kind: 'off' },
    poolSize: values.postgresPoolSize,
    connectTimeoutMs: values.postgresConnectTimeout,
    statementTimeoutMs: values.postgresStatementTimeout,
    failoverTimeoutMs: values.postgresFailoverTimeout,
  };
}

/**
 * Finds problems in the combination of these settings.
 * @param isSet whether the setting was given
 */
export function checkStorageSettings(
  { storage, postgresTls, postgresHosts }: Partial<Values>,
  isSet: (name: keyof typeof storageSettings) => boolean,
): string[] {
  const problems: string[] = [];
  if (storage === 'embedded') {
    const names = Object.keys(storageSettings) as (keyof typeof storageSettings)[];
    return findUnused(names, /^(postgres|attachmentsDir)/, isSet, {
      chosen: 'storage=embedded',
      needed: 'storage=postgres',
    });
  }
  if (isSet('postgresPassword') && isSet('postgresPasswordFile')) {
    problems.push('postgresPassword and postgresPasswordFile exclude each other: set one of them');
  }
  if (isSet('postgresCaFile') && postgresTls === false) {
    problems.push('postgresCaFile has no effect with postgresTls=false: remove one of them');
  }
  if (storage === 'postgres' && postgresHosts?.length === 0) {
    problems.push('postgresHosts is empty: name at least one server of the PostgreSQL group');
  }
  return problems;
}

function parseStorage(value: string): 'embedded' | 'postgres' {
  if (value !== 'embedded' && value !== 'postgres') throw new Error('it must be embedded or postgres');
  return value;
}

function parseHost(value: string): PostgresHost {
  const url = URL.canParse(`postgres://${value}`) ? new URL(`postgres://${value}`) : undefined;
  const isPlain = url?.pathname === '' && url.username === '' && url.search === '' && url.hash === '';
  if (!url || !isPlain || url.hostname === '' || url.port === '0') {
    throw new Error('each must be a host name or address, with a port if it is not 5432, such as db1.example.org:5433');
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? defaultPort : Number(url.port) };
}

function parseSchema(value: string): string {
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(value) || value.startsWith('pg_')) {
    throw new Error(
      'it must be a name of at most 51 lower-case letters, digits and underscores that begins with a letter and not with pg_',
    );
  }
  return value;
}
