import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Tracks the connections with a response that is not sent completely. Node considers a connection idle before the last
 * byte of its response is sent, and would close it then.
 */
export class PendingResponses {
  private readonly counts = new WeakMap<Socket, number>();
  private readonly sockets = new Set<Socket>();
  private onDrained: () => void = () => undefined;

  watch(server: Server): void {
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      // A response that is queued behind another one emits no event when the connection closes.
      if (!this.counts.has(socket)) socket.once('close', () => this.remove(socket));
      this.add(socket, 1);
      this.sockets.add(socket);
      response.on('close', () => {
        if (this.add(socket, -1) === 0) this.remove(socket);
      });
    });
  }

  /** Resolves when every response is sent completely or its connection is closed. */
  async drained(): Promise<void> {
    while (this.sockets.size > 0) {
      await new Promise<void>((resolve) => {
        this.onDrained = resolve;
      });
    }
  }

  private add(socket: Socket, change: number): number {
    const count = (this.counts.get(socket) ?? 0) + change;
    this.counts.set(socket, count);
    return count;
  }

  private remove(socket: Socket): void {
    this.sockets.delete(socket);
    if (this.sockets.size === 0) this.onDrained();
  }
}
