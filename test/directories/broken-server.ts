import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { listening } from '../fixtures/local-server.js';

type Misbehaviour = (socket: Socket, request: Buffer) => void;

/** A server that misbehaves on each message it receives. */
export class BrokenServer {
  requestCount = 0;
  /** All received bytes, as latin1. */
  received = '';
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(misbehave: Misbehaviour): Promise<BrokenServer> {
    const server = createServer();
    const broken = new BrokenServer(server);
    server.on('connection', (socket) => {
      broken.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (request) => {
        broken.requestCount++;
        broken.received += request.toString('latin1');
        misbehave(socket, request);
      });
    });
    await listening(server);
    return broken;
  }

  get address(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the server is not listening');
    return `127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Builds the response to a short request: with its message ID, the operation, and the result code. */
export function resultMessage(request: Buffer, operation: number, resultCode: number): Buffer {
  const [, , , , messageId = 0] = request;
  return Buffer.from([0x30, 12, 2, 1, messageId, operation, 7, 0x0a, 1, resultCode, 4, 0, 4, 0]);
}

/** Builds an entry with a user name, in response to a short search request. */
export function entryMessage(request: Buffer, dn: string, uid: string): Buffer {
  const [, , , , messageId = 0] = request;
  const attribute = tlv(0x30, tlv(4, Buffer.from('uid')), tlv(0x31, tlv(4, Buffer.from(uid))));
  return tlv(0x30, tlv(2, Buffer.of(messageId)), tlv(0x64, tlv(4, Buffer.from(dn)), tlv(0x30, attribute)));
}

function tlv(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag, value.length), value]);
}

export const bindResponse = 0x61;
export const extendedResponse = 0x78;
export const searchDone = 0x65;
