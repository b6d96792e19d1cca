import { Agent, type IncomingMessage, request as open } from 'node:http';
import { text } from 'node:stream/consumers';
import { Latencies, type Measured } from './latencies.js';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks, sent in order. */
  readonly body: readonly Buffer[];
}

/** Origin of a service, or of each of its nodes: the clients are distributed among them. */
type Origins = string | readonly string[];

/**
 * Measures `clients` clients that send requests for that many seconds, each on its own persistent connection. They
 * first do so for half that time unmeasured, so that both sides have compiled their code.
 */
export async function load(
  origin: Origins,
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
 * Each client sends its next request after the last response and a pause, which is not measured, until `next` returns
 * none.
 * @throws Error at the first response that is not 200
 */
export async function drive(
  origin: Origins,
  clients: number,
  next: () => Request | undefined,
  pause?: () => Promise<void>,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const latencies = new Latencies();
  const origins = [origin].flat();
  const client = async (_: unknown, number: number) => {
    const origin = origins[number % origins.length] ?? '';
    for (let request = next(); request; request = next()) {
      const sentMs = performance.now();
      await send(agent, origin, request);
      latencies.add(performance.now() - sentMs);
      await pause?.();
    }
  };
  try {
    await Promise.all(Array.from({ length: clients }, client));
    return latencies.summary();
  } finally {
    agent.destroy();
  }
}

/** Sends a request; resolves at a response of 200 and rejects otherwise. */
export function send(agent: Agent, origin: string, { method, path, headers, body }: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (problem: string, cause?: unknown) => reject(new Error(`${method} ${path} ${problem}`, { cause }));
    const broken = (error: Error) => fail(`got no response: ${error.message || error.name}`, error);
    const outgoing = open(`${origin}${path}`, { agent, method, headers }, (response: IncomingMessage) => {
      response.on('error', broken);
      if (response.statusCode === 200) response.on('end', resolve).resume();
      else text(response).then((answer) => fail(`got ${response.statusCode}: ${answer}`), broken);
    });
    outgoing.on('error', broken);
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  });
}
