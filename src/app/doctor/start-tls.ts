import { once } from 'node:events';
import type { Socket } from 'node:net';

/** Asks a server, on a plain connection, to switch to TLS. */
export type TlsRequest = (socket: Socket, signal: AbortSignal) => Promise<void>;

/** Maximum number of bytes received before TLS, more than any server sends. */
const maxBytes = 16_384;

/** SSLRequest of the PostgreSQL protocol. The answer is one byte. */
const sslRequest = Buffer.from('0000000804d2162f', 'hex');
/** ExtendedRequest with the OID of StartTLS (RFC 4511, 4.14.1), as message 1. */
const extendedRequest = Buffer.concat([
  Buffer.from('301d02010177188016', 'hex'),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);
/** Bytes after the length in a successful ExtendedResponse. */
const extendedSuccess = Buffer.from('0a0100', 'hex');

export const requestPostgresTls: TlsRequest = async (socket, signal) => {
  socket.write(sslRequest);
  const [answer] = await readUntil(socket, (bytes) => bytes.length > 0, signal);
  if (answer !== 'S'.charCodeAt(0)) throw refused();
};

export const requestLdapTls: TlsRequest = async (socket, signal) => {
  socket.write(extendedRequest);
  const answer = await readUntil(socket, (bytes) => bytes.length > 1 && bytes.length >= 2 + (bytes[1] ?? 0), signal);
  if (!answer.includes(extendedSuccess)) throw refused();
};

export const requestSmtpTls: TlsRequest = async (socket, signal) => {
  await readReply(socket, '220', signal);
  socket.write('EHLO localhost\r\n');
  const features = await readReply(socket, '250', signal);
  if (!/^250[ -]STARTTLS\r$/im.test(features)) throw refused();
  socket.write('STARTTLS\r\n');
  await readReply(socket, '220', signal);
};

/** Reads a multi-line reply; only its last line has a space after the code. */
async function readReply(socket: Socket, code: string, signal: AbortSignal): Promise<string> {
  const isWhole = (bytes: Buffer) => /^\d{3}( .*)?\r\n$/m.test(bytes.toString('latin1'));
  const reply = (await readUntil(socket, isWhole, signal)).toString('latin1');
  if (!reply.startsWith(code)) throw refused();
  return reply;
}

async function readUntil(socket: Socket, isWhole: (bytes: Buffer) => boolean, signal: AbortSignal): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  while (!isWhole(bytes)) {
    if (bytes.length > maxBytes) throw refused();
    const chunk = socket.read() as Buffer | null;
    if (chunk) bytes = Buffer.concat([bytes, chunk]);
    else if (socket.readableEnded) throw refused();
    else await Promise.race([once(socket, 'readable', { signal }), once(socket, 'end', { signal })]);
  }
  return bytes;
}

const refused = () => new Error('the server does not switch to TLS');
