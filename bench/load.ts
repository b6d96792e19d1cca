import { Agent, type IncomingMessage, request as open } from 'node:http';
import { text } from 'node:stream/consumers';
import { Latencies, type Measured } from './latencies.js';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent one after the other. */
  readonly body: readonly Buffer[];
}

/**
 * `clients` clients, each on a connection of its own that stays open, send requests for so many seconds; before, they
 * do so for half that time without being measured, so that both sides have compiled their code.
 */
export async function load(
  origin: string,
  clients: number,
  seconds: number,
  request: (index: number) => Request,
): Promise<Measured> {
  let index = 0;
  const until = (endMs: number) => () => (performance.now() < endMs ? request(index++) : undefined);
  await drive(origin, clients, until(performance.now() + seconds * 500));
  globalThis.gc?.();
  return drive(origin, clients, until(performance.now() + seconds * 1_000));
}

/**
 * Each client sends its next request when the last is answered, until `next` gives none.
 * @throws Error at the first request that is not answered with 200
 */
export async function drive(origin: string, clients: number, next: () => Request | undefined): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const latencies = new Latencies();
  const client = async () => {
    for (let request = next(); request; request = next()) {
      const sentMs = performance.now();
      await send(agent, origin, request);
      latencies.add(performance.now() - sentMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: clients }, client));
    return latencies.summary();
  } finally {
    agent.destroy();
  }
}

/** Resolves when it is answered with 200. */
export function send(agent: Agent, origin: string, { method, path, headers, body }: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (problem: string, cause?: unknown) => reject(new Error(`${method} ${path} ${problem}`, { cause }));
    const broken = (error: Error) => fail(`got no answer: ${error.message || error.name}`, error);
    const outgoing = open(`${origin}${path}`, { agent, method, headers }, (response: IncomingMessage) => {
      response.on('error', broken);
      if (response.statusCode === 200) response.on('end', resolve).resume();
      else text(response).then((answer) => fail(`was answered with ${response.statusCode}: ${answer}`), broken);
    });
    outgoing.on('error', broken);
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  });
}
