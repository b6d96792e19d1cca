import { request as open } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { attacks } from './attacks.js';
import type { Request } from './load.js';

// Attacks the service whose origin is the first argument, with the attack whose name is the second. Prepares the attack
// and reports this. The first message starts the attack. The second ends it, and is answered with the statuses of the
// responses. Real hostile clients have machines of their own, so a low priority leaves more of this one to the service.
setPriority(10);
const [, , origin = '', name] = process.argv;
const attack = attacks.find((one) => one.name === name);
if (!attack) throw new Error(`unknown attack ${name}`);
const statuses = new Map<string, number>();
const pauseMs = 10;
let isOver = false;

await attack.prepare?.((request) => send(request));
process.send?.('prepared');
process.once('message', () => {
  const attackers = Array.from({ length: attack.connections }, attackAlone);
  process.once('message', () => void report(attackers));
});
process.once('disconnect', () => process.exit());

async function report(attackers: readonly Promise<void>[]): Promise<void> {
  isOver = true;
  await Promise.race([Promise.all(attackers), sleep(10_000)]);
  process.send?.(Array.from(statuses, ([status, count]) => `${count} x ${status}`).join(', ') || 'waiting');
  process.disconnect();
}

async function attackAlone(): Promise<void> {
  if (!attack) return;
  for (let index = 0; !isOver && index < attack.maxRequests; index++) {
    const status = await send(attack.request(index));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== '200') await sleep(pauseMs);
  }
}

/** Sends a request; resolves to the status of its response, or `failed`. */
function send({ method, path, headers, body }: Request): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = open(`${origin}${path}`, { method, headers }, (response) => {
      response.on('error', () => resolve('failed'));
      response.on('end', () => resolve(String(response.statusCode))).resume();
    });
    outgoing.on('error', () => resolve('failed'));
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  });
}
