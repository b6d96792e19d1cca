import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Latencies, type Measured } from './latencies.js';
import { send } from './load.js';
import { type Line, timings } from './report.js';
import { createEntry } from './requests.js';
import type { RunningServer } from './servers.js';

/** Numbers of clients, and of entries created per second. */
const cases: readonly (readonly [clients: number, perSecond: number])[] = [
  [1, 1],
  [1, 100],
  [1, 1_000],
  [100, 1],
  [100, 100],
  [100, 1_000],
  [1_000, 1],
  [1_000, 100],
  [1_000, 1_000],
];
export const mostClients = Math.max(...cases.map(([clients]) => clients));
/** Maximum time to wait for messages that are still under way. */
const settleMs = 20_000;
/** Maximum number of create requests without a response. */
const maxSends = 64;

/**
 * Measures the time from sending an entry to the arrival of its message at each client. The messages name no entry, so
 * the first message is counted for the first entry.
 */
export async function measureDelivery(program: RunningServer, seconds: number): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [clients, perSecond] of cases) {
    const { measured, missing, stored } = await deliver(program, clients, perSecond, seconds);
    lines.push({
      name: `${clients} STOMP clients, ${perSecond} entries/s asked for`,
      figure: timings(measured),
      ratio: `${stored.toFixed(0)} entries/s stored${missing > 0 ? `, ${missing} messages did not arrive` : ''}`,
    });
  }
  return lines;
}

async function deliver(
  program: RunningServer,
  clients: number,
  perSecond: number,
  seconds: number,
): Promise<{ measured: Measured; missing: number; stored: number }> {
  const count = Math.max(5, perSecond * seconds);
  const sentMs: number[] = [];
  const latencies = new Latencies();
  let arrived = 0;
  const sockets = await Promise.all(
    Array.from({ length: clients }, () => {
      let next = 0;
      return follow(program.origin, () => {
        latencies.add(performance.now() - (sentMs[next++] ?? 0));
        arrived += 1;
      });
    }),
  );
  const startedMs = performance.now();
  const sends: Promise<unknown>[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: maxSends });
  for (let at = 0; at < count; at += 1) {
    const dueMs = startedMs + (at * 1_000) / perSecond - performance.now();
    if (dueMs > 1) await sleep(dueMs);
    sentMs.push(performance.now());
    sends.push(send(agent, program.origin, createEntry(at)));
    if (sends.length >= maxSends) await sends.shift();
  }
  await Promise.all(sends);
  agent.destroy();
  const stored = (count * 1_000) / (performance.now() - startedMs);
  for (const endMs = performance.now() + settleMs; arrived < count * clients && performance.now() < endMs; ) {
    await sleep(10);
  }
  for (const socket of sockets) socket.terminate();
  return { measured: latencies.summary(), missing: count * clients - arrived, stored };
}

async function follow(origin: string, onMessage: () => void): Promise<WebSocket> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/logbook/web-socket`, { perMessageDeflate: false });
  await once(socket, 'open');
  socket.send('CONNECT\naccept-version:1.2\n\n\0');
  await once(socket, 'message');
  socket.send('SUBSCRIBE\nid:0\ndestination:/logbook/web-socket/messages\nreceipt:r\n\n\0');
  await once(socket, 'message');
  socket.on('message', onMessage);
  return socket;
}
