import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { TlsIdentity } from '../../http/connections/tls-identity.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import type { TlsRequest } from './start-tls.js';

const timeoutMs = 5_000;

/**
 * Returns the certificate that a TLS server presents, trusted or not. Another check tests the trust.
 * @param request asks for TLS on a plain connection; undefined: the server uses TLS from the first byte
 * @throws Error when the server is unreachable, does not answer in time, or does not switch to TLS
 */
export async function readCertificate(host: string, port: number, request?: TlsRequest): Promise<X509Certificate> {
  const how = { servername: /^[\d.]+$|:/.test(host) ? '' : host, rejectUnauthorized: false };
  if (!request) return readFrom(connect({ host, port, ...how }));
  const plain = connectTcp({ host, port });
  try {
    await withTimeout(timeoutMs, async (signal) => {
      await once(plain, 'connect', { signal });
      await request(plain, signal);
    });
    return await readFrom(connect({ socket: plain, ...how }));
  } finally {
    plain.on('error', () => undefined);
    plain.destroy();
  }
}

/**
 * Returns the certificate that a TLS server with this identity presents.
 * @throws Error when it cannot be served
 */
export async function readServedCertificate(identity: TlsIdentity): Promise<X509Certificate> {
  const server = createServer(identity, (socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await readCertificate('127.0.0.1', (server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

async function readFrom(socket: TLSSocket): Promise<X509Certificate> {
  try {
    await withTimeout(timeoutMs, (signal) => once(socket, 'secureConnect', { signal }));
    const { raw } = socket.getPeerCertificate();
    if (!raw) throw new Error('the server shows no certificate');
    return new X509Certificate(raw);
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

/**
 * Returns the time of an HTTP server, and the local time at the middle of the request. Undefined if the server does not
 * send its time. The certificate is not checked, because no secret is sent and nothing depends on the answer.
 */
export async function readServerTime(url: string): Promise<{ serverMs: number; hereMs: number } | undefined> {
  const beganMs = Date.now();
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const sent = send(url, { method: 'HEAD', rejectUnauthorized: false, agent: false });
  sent.end();
  try {
    const [response] = await withTimeout(timeoutMs, (signal) => once(sent, 'response', { signal }));
    response.resume();
    const serverMs = Date.parse(String(response.headers.date ?? ''));
    // HTTP dates are truncated to seconds, which loses half a second on average.
    return Number.isNaN(serverMs) ? undefined : { serverMs: serverMs + 500, hereMs: (beganMs + Date.now()) / 2 };
  } finally {
    sent.on('error', () => undefined);
    sent.destroy();
  }
}
