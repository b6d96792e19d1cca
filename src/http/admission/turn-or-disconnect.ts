import type { FastifyReply } from 'fastify';
import type { QueueTicket } from '../../kernel/fair-queue.js';
import { Fault } from '../../kernel/fault.js';

/** Takes a free slot for a request whose client is connected; returns false when there is none. */
export function takesSlot(ticket: QueueTicket, { raw }: FastifyReply): boolean {
  return !raw.destroyed && ticket.takeSlot();
}

/**
 * Resolves when it is the turn of the request.
 * @throws Fault invalid `request.aborted` when its client disconnects before its turn
 */
export async function turnOrDisconnect(ticket: QueueTicket, reply: FastifyReply): Promise<void> {
  if (!takesSlot(ticket, reply)) await turnUntilClosed(ticket, reply.raw);
}

/** Uses a listener, which costs less than an abort signal: most requests of a busy client have to wait for a moment. */
function turnUntilClosed(ticket: QueueTicket, raw: FastifyReply['raw']): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (as: () => void) => {
      raw.off('close', onClose);
      as();
    };
    const onClose = () => {
      ticket.leave();
      const reason = 'The client closed the connection before its request was served.';
      settle(() => reject(new Fault('invalid', 'request.aborted', reason)));
    };
    raw.on('close', onClose);
    if (raw.destroyed) onClose();
    else
      ticket.turn().then(
        () => settle(resolve),
        (error: unknown) => settle(() => reject(error)),
      );
  });
}
