import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { productDir, productVersion } from '../src/kernel/product.js';
import { comparisons, startBuilds } from './compare-builds.js';
import { withRun } from './performance-page.js';
import { type Line, streamedLine } from './report.js';
import { rows } from './rows.js';
import { programFile, type RunningServer, Servers } from './servers.js';

const usage = `npm run bench -- [--seconds N] [--rows NAMES] [--entries N] [--baseline DIR] [--dir DIR] [--profile DIR] [--report]
  --seconds   how long each load lasts; default 3
  --rows      the rows to run, comma separated; default all:
              ${Object.keys(rows).join(',')}
              with --baseline: ${Object.keys(comparisons).join(',')}
  --entries   how many entries the row search has; default 100000
  --baseline  a built tree of another version; the builds take turns, and the rows are their ratios
  --dir       where the data are written, and removed; default dist
  --profile   writes CPU profiles of the program there, for the developer tools of a browser
  --report    writes the run into docs/developer/performance.md, unless a row failed`;

interface Options {
  readonly seconds: number;
  readonly rows: readonly string[];
  /** Number of entries to search in. */
  readonly entries: number;
  /** The program of another build to compare this one with; undefined: rows of this build alone. */
  readonly baselineFile: string | undefined;
  readonly dir: string;
  readonly nodeOptions: readonly string[];
  /** Whether the run is written into the page about performance. */
  readonly report: boolean;
}

/** A measurement with its programs. */
type Row = () => Promise<readonly Line[]>;

try {
  await run(readOptions());
} catch (error) {
  // Errors after an interruption are its consequence.
  if (process.exitCode === undefined) console.error((error as Error).message);
  process.exitCode ??= 1;
}

/** @throws Error when an option has no usable value */
function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      rows: { type: 'string' },
      entries: { type: 'string', default: '100000' },
      baseline: { type: 'string' },
      dir: { type: 'string', default: 'dist' },
      profile: { type: 'string' },
      report: { type: 'boolean', default: false },
    },
  });
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new Error(`--seconds ${values.seconds} is not a number above 0\n${usage}`);
  const entries = Number(values.entries);
  if (!(Number.isInteger(entries) && entries > 0)) throw new Error(`--entries is not a number above 0\n${usage}`);
  if (values.report && (values.baseline ?? values.rows) !== undefined)
    throw new Error(`--report needs all rows of one build: leave --baseline and --rows out\n${usage}`);
  const known = Object.keys(values.baseline === undefined ? rows : comparisons);
  const names = values.rows?.split(',').map((name) => name.trim()) ?? known;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`unknown row ${unknown}\n${usage}`);
  return {
    seconds,
    rows: known.filter((name) => names.includes(name)),
    entries,
    baselineFile: values.baseline && join(resolve(values.baseline), 'dist', 'src', 'main.js'),
    dir: resolve(values.dir),
    nodeOptions: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`],
    report: values.report,
  };
}

async function run(options: Options): Promise<void> {
  mkdirSync(options.dir, { recursive: true });
  const servers = await Servers.in(options.dir, options.nodeOptions);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.exitCode = 130;
      void servers.clear();
    });
  }
  try {
    console.log(
      `Node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model}, ${options.seconds} s each, data in ${servers.dir}`,
    );
    const { rowsByName, programs } = await openRows(servers, options);
    const lines: Line[] = [];
    for (const [name, row] of rowsByName) lines.push(...(await printRow(name, row)));
    // A program writes its profile when it stops.
    for (const program of programs) await program.stop();
    if (options.report) writeReport(lines, options);
  } finally {
    await servers.clear();
  }
}

/** Starts the programs that the chosen rows share. */
async function openRows(
  servers: Servers,
  options: Options,
): Promise<{ rowsByName: ReadonlyMap<string, Row>; programs: readonly RunningServer[] }> {
  const { seconds, entries, baselineFile } = options;
  const select = (row: (name: string) => Row) => new Map(options.rows.map((name) => [name, row(name)]));
  if (baselineFile === undefined) {
    const bench = { servers, seconds, entries, program: await servers.startProgram('load') };
    return {
      rowsByName: select((name) => async () => (await rows[name]?.(bench)) ?? []),
      programs: [bench.program],
    };
  }
  const builds = await startBuilds(servers, programFile, baselineFile);
  return {
    rowsByName: select((name) => async () => (await comparisons[name]?.(builds, seconds)) ?? []),
    programs: [builds.current, builds.baseline],
  };
}

/** Prints and returns the lines of a row, or prints why it failed. A failure sets the exit code but does not end the run. */
async function printRow(name: string, row: Row): Promise<readonly Line[]> {
  console.error(`${name} …`);
  try {
    const lines = await row();
    for (const line of lines) console.log(streamedLine(line));
    return lines;
  } catch (error) {
    if (process.exitCode === 130) throw error;
    console.log(streamedLine({ name, figure: `FAILED: ${(error as Error).message}` }));
    process.exitCode = 1;
    return [];
  }
}

/** Replaces the run in the page about performance. A run with a failed row leaves the page unchanged. */
function writeReport(lines: readonly Line[], { seconds }: Options): void {
  if (process.exitCode !== undefined) {
    console.error('The page stays as it is, because a row failed.');
    return;
  }
  const file = join(productDir, 'docs', 'developer', 'performance.md');
  const conditions = {
    date: new Date(),
    version: productVersion,
    node: process.version,
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    seconds,
  };
  writeFileSync(file, withRun(readFileSync(file, 'utf8'), lines, conditions));
  console.error(`The run is in ${file}.`);
}
