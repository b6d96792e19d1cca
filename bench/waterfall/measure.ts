import { readThreadTimes, type ThreadTimes } from '../cpu.js';
import { drive, type Request } from '../load.js';
import { medianOf } from '../median.js';
import { type AskedServer, programOptions, type RunningServer, type Servers } from '../servers.js';
import { type CalledFunction, type CpuProfile, countOwn, sharesOf } from './layers.js';
import type { Kind } from './requests.js';

interface Options {
  readonly kind: Kind;
  readonly requests: number;
  readonly rounds: number;
  readonly clients: number;
}

export interface KindCosts {
  readonly bodyBytes: number;
  /** CPU time of one request in microseconds, by the name of the server: medians of the rounds. */
  readonly costs: ReadonlyMap<string, ThreadTimes>;
  readonly builds: readonly {
    readonly name: string;
    readonly shares: ReadonlyMap<string, number>;
    readonly files: number;
    readonly functions: number;
  }[];
}

export interface Build extends AskedServer {
  readonly name: string;
}

/** Requests of each kind before the first measurement, in which frequent code is compiled. */
export const warmUpRequests = 6_000;

const probe = new URL('./probe.js', import.meta.url).href;

export async function openBuild(servers: Servers, mainFile: string, name: string): Promise<Build> {
  return { name, ...(await servers.startProbed(mainFile, name, probe, programOptions)) };
}

/** Measures one kind of request on bare servers that send as much, and on each build, alternately. */
export async function measureKind(servers: Servers, builds: readonly Build[], options: Options): Promise<KindCosts> {
  const { kind, clients, requests } = options;
  // Distinct requests for each load, the same for each server.
  let first = 0;
  const put = (origin: string, from: number, count: number) => drive(origin, clients, countedFrom(kind, from, count));
  const bodyBytes = await readBytes(builds[0]?.origin ?? '', kind.request(first++));
  const bare = await servers.startBareServer(bodyBytes);
  const fastify = await servers.startBareServer(bodyBytes, 'fastify');
  const sides = [{ name: 'node:http', ...bare }, { name: 'Fastify', ...fastify }, ...builds];
  for (const { origin } of sides) await put(origin, first, warmUpRequests);
  first += warmUpRequests;
  const costs = await takeTurns(sides, options, async (side, round) => {
    await put(side.origin, first + round * requests, requests);
  });
  first += options.rounds * requests;
  await bare.stop();
  await fastify.stop();
  const profiled = [];
  for (const build of builds) {
    await build.ask('startProfile');
    await put(build.origin, first, requests);
    const shares = sharesOf((await build.ask('stopProfile')) as CpuProfile);
    await build.ask('startCoverage');
    await put(build.origin, first + requests, 1);
    const called = (await build.ask('stopCoverage')) as CalledFunction[];
    profiled.push({ name: build.name, shares, ...countOwn(called) });
  }
  return { bodyBytes, costs, builds: profiled };
}

type Side = RunningServer & { readonly name: string };

/** Returns the median costs of a request on each side. */
async function takeTurns(
  sides: readonly Side[],
  { requests, rounds }: Options,
  put: (side: Side, round: number) => Promise<void>,
): Promise<ReadonlyMap<string, ThreadTimes>> {
  const measured = new Map<string, ThreadTimes[]>(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const before = readThreadTimes(side.pid);
      await put(side, round);
      const after = readThreadTimes(side.pid);
      const each = (of: keyof ThreadTimes) => ((after[of] - before[of]) * 1_000) / requests;
      measured.get(side.name)?.push({ mainThread: each('mainThread'), allThreads: each('allThreads') });
    }
  }
  const median = (costs: readonly ThreadTimes[], of: keyof ThreadTimes) => medianOf(costs.map((cost) => cost[of]));
  return new Map(
    Array.from(measured, ([name, costs]) => [
      name,
      { mainThread: median(costs, 'mainThread'), allThreads: median(costs, 'allThreads') },
    ]),
  );
}

function countedFrom({ request }: Kind, first: number, count: number): () => Request | undefined {
  let index = first;
  return () => (index < first + count ? request(index++) : undefined);
}

async function readBytes(origin: string, { method, path, headers, body }: Request): Promise<number> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-length'));
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: sent,
    ...(body.length > 0 && { body: new Uint8Array(Buffer.concat(body)) }),
  });
  return (await response.arrayBuffer()).byteLength;
}
