import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client, type Entry, type Filter, ResultCodeError } from 'ldapts';
import type { ConnectionSettings } from './ldap-options.js';

/** A server of the directory does not answer as one does; another server may. */
export class DirectoryUnavailable extends Error {}

export type BindAnswer =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly code: number; readonly diagnostic: string };

export interface Search {
  readonly base: string;
  readonly scope: 'base' | 'sub';
  readonly filter: string | Filter;
  readonly attributes: readonly string[];
  /** Attributes whose values are no text. */
  readonly binaryAttributes?: readonly string[];
  readonly maxEntries?: number;
}

const startTlsOperation = '1.3.6.1.4.1.1466.20037';
/** What no honest answer reaches; a server that sends on and on must not fill the memory. */
const maxAnswerBytes = 16_777_216;
/** ldapts would take these for the name of a mechanism in place of a user. */
const mechanisms = ['EXTERNAL', 'PLAIN', 'DIGEST-MD5', 'SCRAM-SHA-1'];
const invalidCredentials = 49;
/** Busy, unavailable, and everything that stands for “something else went wrong”. */
const saysTrouble = (code: number) => code === 51 || code === 52 || code >= 80;

/** One conversation with one server. It is never taken up again once it broke off: the bind would be gone. */
export class LdapConnection {
  private readonly client: Client;
  private answerBytes = 0;
  private readonly closed: Promise<void>;

  private constructor(
    private readonly socket: Socket,
    operationTimeoutMs: number,
  ) {
    let isTaken = false;
    this.client = new Client({
      url: 'ldap://directory',
      timeout: operationTimeoutMs,
      createConnection: () => {
        if (isTaken) throw new Error('the connection was closed');
        isTaken = true;
        return socket;
      },
    });
    socket.on('data', (chunk) => {
      this.answerBytes += chunk.length;
      if (this.answerBytes > maxAnswerBytes) socket.destroy(new Error('the answer is too long'));
    });
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /** @throws DirectoryUnavailable when there is no connection within its time-out, or the certificate is not trusted */
  static async open(url: string, settings: ConnectionSettings): Promise<LdapConnection> {
    try {
      return new LdapConnection(await openSocket(url, settings), settings.operationTimeoutMs);
    } catch (error) {
      throw new DirectoryUnavailable(`no connection to ${url}`, { cause: error });
    }
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.readable && this.socket.writable;
  }

  /** @throws DirectoryUnavailable when the server does not answer */
  async bind(name: string, password: string): Promise<BindAnswer> {
    // Servers take a bind without name or password for one of nobody, and accept it.
    if (name === '' || password === '') throw new Error('a bind needs a name and a password');
    if (mechanisms.includes(name)) return { accepted: false, code: invalidCredentials, diagnostic: '' };
    try {
      await this.ask(() => this.client.bind(name, password));
      return { accepted: true };
    } catch (error) {
      if (!(error instanceof ResultCodeError)) throw error;
      return { accepted: false, code: error.code, diagnostic: error.message };
    }
  }

  /**
   * Referrals are not followed: they could lead the password or the question anywhere.
   * @throws DirectoryUnavailable when the server does not answer; ResultCodeError when it declines
   */
  async search({ base, attributes, binaryAttributes = [], maxEntries = 0, ...search }: Search): Promise<Entry[]> {
    const { searchEntries } = await this.ask(() =>
      this.client.search(base, {
        ...search,
        derefAliases: 'never',
        sizeLimit: maxEntries,
        attributes: [...attributes, ...binaryAttributes],
        explicitBufferAttributes: [...binaryAttributes],
      }),
    );
    return searchEntries;
  }

  async close(): Promise<void> {
    if (this.isOpen) await this.client.unbind().catch(() => undefined);
    this.socket.destroy();
    await this.closed;
  }

  private async ask<T>(operation: () => Promise<T>): Promise<T> {
    this.answerBytes = 0;
    try {
      return await operation();
    } catch (error) {
      if (error instanceof ResultCodeError && !saysTrouble(error.code)) throw error;
      this.socket.destroy();
      throw new DirectoryUnavailable('the directory breaks off the conversation', { cause: error });
    }
  }
}

async function openSocket(url: string, settings: ConnectionSettings): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTlsOnly = protocol === 'ldaps:';
  const tcp = connectTcp({ host, port: Number(port || (isTlsOnly ? 636 : 389)) });
  // One time-out for the handshakes too; whatever happens then, nobody is left to hear an error.
  const timer = setTimeout(
    () => tcp.destroy(new Error(`it takes longer than ${settings.connectTimeoutMs} ms`)),
    settings.connectTimeoutMs,
  );
  try {
    await opened(tcp, 'connect');
    if (!isTlsOnly && !settings.startTls) return tcp;
    if (!isTlsOnly) await askForTls(tcp, settings.connectTimeoutMs);
    return await secured(tcp, host, settings.caCertificates);
  } catch (error) {
    tcp.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * By a client of its own, which is dropped with all that it read: what somebody slipped in before the handshake must
 * not count as an answer after it.
 */
async function askForTls(tcp: Socket, timeoutMs: number): Promise<void> {
  const client = new Client({ url: 'ldap://directory', timeout: timeoutMs, createConnection: () => tcp });
  await client.exop(startTlsOperation);
  tcp.removeAllListeners('data');
}

async function secured(tcp: Socket, host: string, ca: string | undefined): Promise<Socket> {
  const socket = connectTls({
    socket: tcp,
    host,
    // An address is no server name; it is compared with the certificate all the same.
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    // Said aloud, for an environment variable can turn the default off.
    rejectUnauthorized: true,
  });
  await opened(socket, 'secureConnect');
  return socket;
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the server closes the connection')));
  });
}
