import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

type Misbehaviour = (socket: Socket, question: Buffer) => void;

/** A server that does something else than a directory with each message it gets. */
export class BrokenServer {
  /** Messages that came. */
  questions = 0;
  /** All of them, byte by byte. */
  heard = '';
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(misbehave: Misbehaviour): Promise<BrokenServer> {
    const server = createServer();
    const broken = new BrokenServer(server);
    server.on('connection', (socket) => {
      broken.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (question) => {
        broken.questions++;
        broken.heard += question.toString('latin1');
        misbehave(socket, question);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return broken;
  }

  get address(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    return `127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** The answer to a short request: its number, what kind of answer it is, and the result code. */
export function resultMessage(question: Buffer, operation: number, resultCode: number): Buffer {
  const [, , , , messageId = 0] = question;
  return Buffer.from([0x30, 12, 2, 1, messageId, operation, 7, 0x0a, 1, resultCode, 4, 0, 4, 0]);
}

export const bindResponse = 0x61;
export const extendedResponse = 0x78;
export const searchDone = 0x65;
