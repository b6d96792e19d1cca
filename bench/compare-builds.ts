import type { Measured } from './latencies.js';
import { drive, load, type Request } from './load.js';
import { medianOf } from './median.js';
import { atMost, type Line } from './report.js';
import { createEntry, createEntryWithFiles, getEntry, searchEntries } from './requests.js';
import type { ProbedServer, Servers } from './servers.js';

/** One program of each build. */
interface Builds {
  readonly current: ProbedServer;
  readonly baseline: ProbedServer;
}

type Build = keyof Builds;

const entries = 1_000;
/** Number of turns of each build. They alternate, so that changes in the load of the machine affect both alike. */
const rounds = 6;
const attachment = Buffer.alloc(1_024, 'trace ');
const maxHeapBytesPerCreate = 3_000;

interface Comparison {
  readonly name: string;
  readonly clients: number;
  readonly request: (index: number) => Request;
}

/** Comparisons of two builds, by name. */
export const comparisons: Readonly<Record<string, (builds: Builds, seconds: number) => Promise<Line[]>>> = {
  create: (builds, seconds) =>
    compareLoad(builds, seconds, { name: 'PUT /logs, 1 client', clients: 1, request: createEntry }),
  'create-64': (builds, seconds) =>
    compareLoad(builds, seconds, { name: 'PUT /logs, 64 clients', clients: 64, request: createEntry }),
  multipart: (builds, seconds) =>
    compareLoad(builds, seconds, { name: 'PUT /logs/multipart, 1 kB, 1 client', clients: 1, request: createWithFile }),
  get: (builds, seconds) =>
    compareLoad(builds, seconds, {
      name: 'GET /logs/{id}, 1 client',
      clients: 1,
      request: (index) => getEntry((index % entries) + 1),
    }),
  search: (builds, seconds) =>
    compareLoad(builds, seconds, { name: 'GET /logs/search, 1 client', clients: 1, request: searchEntries }),
  heap: compareHeapGrowth,
};

/** Starts a program of each build, with the same entries. */
export async function startBuilds(servers: Servers, currentFile: string, baselineFile: string): Promise<Builds> {
  const start = async (name: Build, mainFile: string) => {
    const program = await servers.startBuild(mainFile, name);
    await drive(program.origin, 16, countedRequests(entries, createEntry));
    return program;
  };
  return { current: await start('current', currentFile), baseline: await start('baseline', baselineFile) };
}

async function compareLoad(builds: Builds, seconds: number, { name, clients, request }: Comparison): Promise<Line[]> {
  const measured: Record<Build, Measured[]> = { current: [], baseline: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Each build runs first in half of the rounds.
    const order: Build[] = round % 2 === 0 ? ['current', 'baseline'] : ['baseline', 'current'];
    for (const build of order) {
      measured[build].push(await load(builds[build].origin, clients, seconds / rounds, request));
    }
  }
  const median = (build: Build, figure: 'perSecond' | 'p50') => medianOf(measured[build].map((one) => one[figure]));
  const ratio = (figure: 'perSecond' | 'p50') =>
    medianOf(measured.current.map((one, round) => one[figure] / (measured.baseline[round]?.[figure] ?? Number.NaN)));
  const shown = (build: Build) =>
    `${median(build, 'perSecond').toFixed(0)}/s p50 ${median(build, 'p50').toFixed(2)} ms`;
  return [
    {
      name,
      figure: `${shown('current')}, baseline ${shown('baseline')}`,
      ratio: `${ratio('perSecond').toFixed(2)} x rate, ${ratio('p50').toFixed(2)} x p50`,
    },
  ];
}

/** Compares what an upload leaves on the heap of the main thread. */
async function compareHeapGrowth(builds: Builds, seconds: number): Promise<Line[]> {
  const creates = Math.ceil(1_000 * seconds);
  const current = await heapGrowth(builds.current, creates);
  const baseline = await heapGrowth(builds.baseline, creates);
  return [
    {
      name: `heap growth per PUT /logs/multipart, of ${creates}`,
      figure: `${current.toFixed(0)} B, baseline ${baseline.toFixed(0)} B`,
      ratio: `${(current / baseline).toFixed(2)} x`,
      aim: atMost(current, maxHeapBytesPerCreate, 'B'),
    },
  ];
}

async function heapGrowth(program: ProbedServer, creates: number): Promise<number> {
  // Caches fill and code is compiled before the first measurement.
  await drive(program.origin, 4, countedRequests(creates / 2, createWithFile));
  const before = await program.readHeapBytes();
  await drive(program.origin, 4, countedRequests(creates, createWithFile));
  return ((await program.readHeapBytes()) - before) / creates;
}

function createWithFile(index: number): Request {
  return createEntryWithFiles(index, 1, attachment);
}

/** Returns each of the first `count` requests once. */
function countedRequests(count: number, request: (index: number) => Request): () => Request | undefined {
  let index = 0;
  return () => (index < count ? request(index++) : undefined);
}
