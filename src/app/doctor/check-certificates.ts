import type { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { SchemeSetting } from '../../config/directory/schemes.js';
import type { ServiceOptions } from '../../config/service-options.js';
import type { PostgresOptions } from '../../engines/postgres/postgres-options.js';
import { loadTlsIdentity, tlsFiles } from '../../http/connections/tls-identity.js';
import { describeDuration } from '../../kernel/text.js';
import { type Diagnosis, dayMs } from './diagnosis.js';
import { readCertificate, readServedCertificate } from './probe-server.js';
import { requestLdapTls, requestPostgresTls, requestSmtpTls, type TlsRequest } from './start-tls.js';

/** Warn this long before a certificate expires. */
const soonMs = 21 * dayMs;

/** Checks when the certificates expire: that of the service, and those of the servers to which it connects by TLS. */
export async function* checkCertificates(options: ServiceOptions, nowMs: number): AsyncGenerator<Diagnosis> {
  yield await checkOwn(options, nowMs);
  for (const { name, host, port, request } of listTlsServers(options).values()) {
    try {
      const certificate = await readCertificate(host, port, request);
      yield describeExpiry('certificate', `the certificate of ${name}`, certificate, nowMs);
    } catch {
      // The connection check reports an unreachable server.
    }
  }
}

async function checkOwn({ listeners }: ServiceOptions, nowMs: number): Promise<Diagnosis> {
  const check = 'tls';
  const { tls, httpsPort } = listeners;
  if (httpsPort === 'off') return { check, status: 'ok', text: 'the TLS listener is off' };
  if (tls.kind === 'self-signed' && !tlsFiles(tls).every((file) => existsSync(file))) {
    return { check, status: 'ok', text: 'the first start creates a self-signed certificate' };
  }
  try {
    const certificate = await readServedCertificate(await loadTlsIdentity(tls));
    return describeExpiry(check, `the certificate of the service (${tls.kind})`, certificate, nowMs);
  } catch (error) {
    return {
      check,
      status: 'problem',
      text: (error as Error).message,
      advice: 'Check whether the service may read the files, and whether key and certificate belong together.',
    };
  }
}

function describeExpiry(check: string, subject: string, certificate: X509Certificate, nowMs: number): Diagnosis {
  const leftMs = Date.parse(certificate.validTo) - nowMs;
  const day = new Date(certificate.validTo).toISOString().slice(0, 10);
  const advice = 'Renew it. The service loads its own new certificate without a restart.';
  if (Date.parse(certificate.validFrom) > nowMs) {
    const text = `${subject} is not valid before ${certificate.validFrom}`;
    return { check, status: 'problem', text, advice: 'Check the clock of this machine, or wait.' };
  }
  if (leftMs <= 0) return { check, status: 'problem', text: `${subject} expired on ${day}`, advice };
  const text = `${subject} expires in ${describeDuration(leftMs)}, on ${day}`;
  return leftMs < soonMs ? { check, status: 'warning', text, advice } : { check, status: 'ok', text };
}

interface TlsServer {
  /** Name under which an operator knows the server, without secrets. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Request to switch to TLS; undefined when the server speaks TLS from the first byte. */
  readonly request?: TlsRequest;
}

/** Returns the configured servers that are reached by TLS, without duplicates. */
function listTlsServers({ auth, storage, subscribers }: ServiceOptions): Map<string, TlsServer> {
  const servers = [
    ...auth.providers.flatMap(directoryServers),
    ...(auth.oidc ? [auth.oidc.issuer] : []).flatMap(tlsServer),
    ...(storage.blobs.kind === 's3' ? storage.blobs.s3.endpoints : []).flatMap(tlsServer),
    ...(storage.index.kind === 'opensearch' ? storage.index.opensearch.nodes : []).flatMap(tlsServer),
    ...(storage.kind === 'postgres' ? postgresServers(storage.postgres) : []),
    ...subscribers.flatMap((subscriber) =>
      subscriber.kind === 'email' ? [mailServer(subscriber.smtpUrl)] : tlsServer(subscriber.url.href),
    ),
  ];
  return new Map(servers.map((server) => [`${server.name}:${server.port}`, server]));
}

const defaultPorts: Readonly<Record<string, number>> = {
  'ldap:': 389,
  'ldaps:': 636,
  'https:': 443,
  'smtp:': 587,
  'smtps:': 465,
};

/** Returns the server of the address; empty when the address is reached without TLS. */
const tlsServer = (url: string): TlsServer[] => (/^(ldaps|https):/i.test(url) ? [serverAt(url)] : []);

function serverAt(url: string | URL, request?: TlsRequest): TlsServer {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const named = { name: `${protocol}//${hostname}`, host, port: Number(port) || (defaultPorts[protocol] ?? 0) };
  return request ? { ...named, request } : named;
}

function directoryServers(setting: SchemeSetting): TlsServer[] {
  if (setting.scheme === 'inMemory' || setting.scheme === 'embeddedLdap') return [];
  const { urls, startTls } = setting.settings;
  return urls.flatMap((url) => (startTls && /^ldap:/i.test(url) ? [serverAt(url, requestLdapTls)] : tlsServer(url)));
}

const mailServer = (url: URL): TlsServer => serverAt(url, url.protocol === 'smtps:' ? undefined : requestSmtpTls);

function postgresServers({ hosts, tls }: PostgresOptions): TlsServer[] {
  if (tls.kind === 'off') return [];
  return hosts.map(({ host, port }) => ({ name: `PostgreSQL on ${host}`, host, port, request: requestPostgresTls }));
}
