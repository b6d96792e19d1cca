import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client, type Entry, type Filter, ResultCodeError, type SearchOptions } from 'ldapts';
import type { LdapConnectionOptions } from './ldap-options.js';
import { type NoteReferral, parentOf, referralCode } from './referrals.js';

/** Thrown when a server is unreachable or does not behave like an LDAP server. Another server may still work. */
export class DirectoryUnavailable extends Error {}

export type BindResult =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly code: number; readonly diagnostic: string };

export interface Search {
  readonly base: string;
  readonly scope: 'base' | 'one' | 'sub';
  readonly filter: string | Filter;
  readonly attributes: readonly string[];
  readonly binaryAttributes?: readonly string[];
  readonly maxEntries?: number;
}

const startTlsOperation = '1.3.6.1.4.1.1466.20037';
/**
 * Maximum size of the response to a request, with all its pages: far above any real one, so that a server that sends
 * without end does not fill the memory.
 */
const maxResponseBytes = 16_777_216;
/** ldapts takes these names for SASL mechanisms instead of users. */
const mechanisms = ['EXTERNAL', 'PLAIN', 'DIGEST-MD5', 'SCRAM-SHA-1'];
const invalidCredentials = 49;
/** Page size below the usual limits of servers for one response, such as 500 and 1,000. */
const pageSize = 400;
/** Whether a result code means that the server itself failed: busy, unavailable, or “other” and all codes above. */
const isServerFailure = (code: number) => code === 51 || code === 52 || code >= 80;

/** A connection to one server. It never reconnects, because a new connection would not be bound. */
export class LdapConnection {
  private readonly client: Client;
  private responseBytes = 0;
  private readonly closed: Promise<void>;

  private constructor(
    private readonly socket: Socket,
    operationTimeoutMs: number,
    private readonly noteReferral: NoteReferral,
  ) {
    let isUsed = false;
    this.client = new Client({
      url: 'ldap://directory',
      timeout: operationTimeoutMs,
      createConnection: () => {
        if (isUsed) throw new Error('the connection was closed');
        isUsed = true;
        return socket;
      },
    });
    socket.on('data', (chunk) => {
      this.responseBytes += chunk.length;
      if (this.responseBytes > maxResponseBytes) socket.destroy(new Error('the response is too long'));
    });
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /** @throws DirectoryUnavailable when connecting fails or times out, or the certificate is not trusted */
  static async open(url: string, options: LdapConnectionOptions, noteReferral: NoteReferral): Promise<LdapConnection> {
    try {
      return new LdapConnection(await openSocket(url, options), options.operationTimeoutMs, noteReferral);
    } catch (error) {
      throw new DirectoryUnavailable(`cannot connect to ${url}`, { cause: error });
    }
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.readable && this.socket.writable;
  }

  /** @throws DirectoryUnavailable when the server does not respond */
  async bind(name: string, password: string): Promise<BindResult> {
    // Servers accept a bind without a name or a password as anonymous.
    if (name === '' || password === '') throw new Error('a bind requires a name and a password');
    if (mechanisms.includes(name)) return { accepted: false, code: invalidCredentials, diagnostic: '' };
    try {
      await this.request(() => this.client.bind(name, password));
      return { accepted: true };
    } catch (error) {
      if (!(error instanceof ResultCodeError)) throw error;
      if (error.code === referralCode) this.noteReferral({ base: parentOf(name), url: undefined });
      return { accepted: false, code: error.code, diagnostic: error.message };
    }
  }

  /**
   * Searches without following referrals, which could lead to any server. Each referral is reported to `noteReferral`.
   * @throws DirectoryUnavailable when the server does not respond; ResultCodeError when it refuses
   */
  async search({ base, attributes, binaryAttributes = [], maxEntries = 0, ...search }: Search): Promise<Entry[]> {
    return this.runSearch(base, {
      ...search,
      sizeLimit: maxEntries,
      attributes: [...attributes, ...binaryAttributes],
      explicitBufferAttributes: [...binaryAttributes],
    });
  }

  /**
   * Searches in pages, so that the limit of a server for one response does not apply.
   * @throws as `search`; ResultCodeError also when the server limits the sum of all pages
   */
  async searchAll({ base, attributes, ...search }: Omit<Search, 'maxEntries' | 'binaryAttributes'>): Promise<Entry[]> {
    return this.runSearch(base, { ...search, attributes: [...attributes], paged: { pageSize } });
  }

  async close(): Promise<void> {
    if (this.isOpen) await this.client.unbind().catch(() => undefined);
    this.socket.destroy();
    await this.closed;
  }

  private async runSearch(base: string, search: SearchOptions): Promise<Entry[]> {
    try {
      const found = await this.request(() => this.client.search(base, { ...search, derefAliases: 'never' }));
      for (const url of new Set(found.searchReferences)) this.noteReferral({ base, url });
      return found.searchEntries;
    } catch (error) {
      if (error instanceof ResultCodeError && error.code === referralCode) {
        this.noteReferral({ base: search.scope === 'base' ? parentOf(base) : base, url: undefined });
      }
      throw error;
    }
  }

  private async request<T>(operation: () => Promise<T>): Promise<T> {
    this.responseBytes = 0;
    try {
      return await operation();
    } catch (error) {
      if (error instanceof ResultCodeError && !isServerFailure(error.code)) throw error;
      this.socket.destroy();
      throw new DirectoryUnavailable('the LDAP request failed', { cause: error });
    }
  }
}

async function openSocket(url: string, options: LdapConnectionOptions): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTlsOnly = protocol === 'ldaps:';
  const tcp = connectTcp({ host, port: Number(port || (isTlsOnly ? 636 : 389)) });
  // Covers TCP connect, StartTLS and the TLS handshake together.
  const timer = setTimeout(
    () => tcp.destroy(new Error(`connecting took longer than ${options.connectTimeoutMs} ms`)),
    options.connectTimeoutMs,
  );
  try {
    await waitFor(tcp, 'connect');
    if (!isTlsOnly && !options.startTls) return tcp;
    if (!isTlsOnly) await startTls(tcp, options.connectTimeoutMs);
    return await upgradeToTls(tcp, host, options.caCertificates);
  } catch (error) {
    tcp.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Requests StartTLS with a separate client, which is discarded with all received bytes. Bytes that an attacker
 * injects before the TLS handshake must not count as a response after it.
 */
async function startTls(tcp: Socket, timeoutMs: number): Promise<void> {
  const client = new Client({ url: 'ldap://directory', timeout: timeoutMs, createConnection: () => tcp });
  await client.exop(startTlsOperation);
  tcp.removeAllListeners('data');
}

async function upgradeToTls(tcp: Socket, host: string, ca: string | undefined): Promise<Socket> {
  const socket = connectTls({
    socket: tcp,
    host,
    // SNI does not allow IP addresses. The certificate is still checked against the address.
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED can turn the default off.
    rejectUnauthorized: true,
  });
  await waitFor(socket, 'secureConnect');
  return socket;
}

function waitFor(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the server closed the connection')));
  });
}
