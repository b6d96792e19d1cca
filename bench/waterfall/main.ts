import { mkdirSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { programFile, Servers } from '../servers.js';
import { measureKind, openBuild, warmUpRequests } from './measure.js';
import { printKind } from './print.js';
import { entries, fill, kinds } from './requests.js';

const usage = `npm run bench:waterfall -- [--kinds NAMES] [--requests N] [--rounds N] [--clients N] [--baseline DIR] [--dir DIR]
  --kinds     the requests to measure, comma separated; default all: ${Object.keys(kinds).join(',')}
  --requests  number of requests of each side in each round; default 800
  --rounds    default 5
  --clients   default 16
  --baseline  a built tree of another version, which is measured alternately with this one
  --dir       directory for temporary data; default dist`;

try {
  await run();
} catch (error) {
  // Errors after an interruption are its consequence.
  if (process.exitCode === undefined) console.error((error as Error).message);
  process.exitCode ??= 1;
}

/** @throws Error when an option has no usable value */
function readOptions() {
  const { values } = parseArgs({
    options: {
      kinds: { type: 'string', default: Object.keys(kinds).join(',') },
      requests: { type: 'string', default: '800' },
      rounds: { type: 'string', default: '5' },
      clients: { type: 'string', default: '16' },
      baseline: { type: 'string' },
      dir: { type: 'string', default: 'dist' },
    },
  });
  const [requests, rounds, clients] = [values.requests, values.rounds, values.clients].map(Number);
  if (!(requests && rounds && clients)) fail('--requests, --rounds and --clients must be above 0');
  if ((rounds + 2) * requests + warmUpRequests > entries)
    fail(`there are ${entries} entries: choose fewer --requests or --rounds`);
  const chosen = values.kinds.split(',').map((name) => kinds[name.trim()] ?? fail(`unknown request ${name}`));
  return { ...values, dir: resolve(values.dir), chosen, requests, rounds, clients };
}

function fail(problem: string): never {
  throw new Error(`${problem}\n${usage}`);
}

async function run(): Promise<void> {
  const { dir, chosen, baseline, ...options } = readOptions();
  mkdirSync(dir, { recursive: true });
  const servers = await Servers.in(dir, []);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.exitCode = 130;
      void servers.clear();
    });
  }
  try {
    console.log(`Node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model}, ${options.clients} clients`);
    const builds = [await openBuild(servers, programFile, 'this build')];
    if (baseline !== undefined)
      builds.unshift(await openBuild(servers, join(resolve(baseline), 'dist', 'src', 'main.js'), 'baseline'));
    for (const { origin } of builds) await fill(origin);
    for (const kind of chosen) printKind(kind, await measureKind(servers, builds, { kind, ...options }));
  } finally {
    await servers.clear();
  }
}
