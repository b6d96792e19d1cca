import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isAwaitingContinue } from '../request/deferred-continue.js';

/** Time without data after which, during the shutdown, the connection of an unfinished request is closed. */
const stalledMs = 4_000;

/**
 * Tracks the connections with a response that is not sent completely, or a body that has not arrived completely. Node
 * considers a connection idle before the last byte of its response is sent, and would close it too early.
 */
export class PendingResponses {
  private readonly counts = new WeakMap<Socket, number>();
  /** The newest request of each connection. */
  private readonly requests = new Map<Socket, IncomingMessage>();
  private onDrained: () => void = () => undefined;

  watch(server: Server): void {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      // A response that is queued behind another one emits no event when the connection closes.
      if (!this.counts.has(socket)) socket.once('close', () => this.remove(socket));
      this.add(socket, 1);
      this.requests.set(socket, request);
      response.on('close', () => {
        if (this.add(socket, -1) > 0) return;
        if (request.complete) this.remove(socket);
        // Closing the connection now would hide the response from a client that is still sending the refused body.
        else request.once('close', () => this.removeIfAnswered(socket));
      });
    });
  }

  /**
   * Resolves when every request is received and answered completely, or its connection is closed. Closes the
   * connections of clients that have stopped sending in the middle of a request.
   */
  async drained(): Promise<void> {
    let received = this.countReceived();
    const timer = setInterval(() => {
      const before = received;
      received = this.countReceived();
      for (const [socket, bytes] of received) if (before.get(socket) === bytes) socket.destroy();
    }, stalledMs);
    while (this.requests.size > 0) {
      await new Promise<void>((resolve) => {
        this.onDrained = resolve;
      });
    }
    clearInterval(timer);
  }

  /** Returns the number of bytes received on each connection that has not sent the rest of its request. */
  private countReceived(): Map<Socket, number> {
    const waiting = [...this.requests].filter(
      ([, request]) => !request.complete && request.readableLength === 0 && !isAwaitingContinue(request),
    );
    return new Map(waiting.map(([socket]) => [socket, socket.bytesRead]));
  }

  private add(socket: Socket, change: number): number {
    const count = (this.counts.get(socket) ?? 0) + change;
    this.counts.set(socket, count);
    return count;
  }

  private removeIfAnswered(socket: Socket): void {
    if (this.counts.get(socket) === 0) this.remove(socket);
  }

  private remove(socket: Socket): void {
    this.requests.delete(socket);
    if (this.requests.size === 0) this.onDrained();
  }
}
