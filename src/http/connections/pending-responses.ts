import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections on which an answer is awaited, or on its way: Node takes one for idle before its last byte is sent. */
export class PendingResponses {
  private readonly answers = new WeakMap<Socket, number>();
  private readonly busy = new Set<Socket>();
  private whenNone: () => void = () => undefined;

  watch(server: Server): void {
    server.on('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
      // An answer that waits for one before it is not told when its connection has gone.
      if (!this.answers.has(socket)) socket.once('close', () => this.free(socket));
      this.count(socket, 1);
      this.busy.add(socket);
      answer.once('close', () => {
        if (this.count(socket, -1) === 0) this.free(socket);
      });
    });
  }

  /** Resolves when every answer has gone out whole, or its connection has ended. */
  async none(): Promise<void> {
    while (this.busy.size > 0) {
      await new Promise<void>((resolve) => {
        this.whenNone = resolve;
      });
    }
  }

  private count(socket: Socket, more: number): number {
    const count = (this.answers.get(socket) ?? 0) + more;
    this.answers.set(socket, count);
    return count;
  }

  private free(socket: Socket): void {
    this.busy.delete(socket);
    if (this.busy.size === 0) this.whenNone();
  }
}
