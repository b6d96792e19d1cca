import { mkdirSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Line, table } from './report.js';
import { rows } from './rows.js';
import { Servers } from './servers.js';

const usage = `npm run bench -- [--seconds N] [--rows ${Object.keys(rows).join(',')}] [--dir DIR] [--profile DIR]
  --seconds   how long each load lasts; default 3
  --rows      the rows to run, comma separated; default all
  --dir       where the data are written, and removed; default dist
  --profile   writes CPU profiles of the program there, for the developer tools of a browser`;

try {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      rows: { type: 'string', default: Object.keys(rows).join(',') },
      dir: { type: 'string', default: 'dist' },
      profile: { type: 'string' },
    },
  });
  const seconds = Number(values.seconds);
  const names = values.rows.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(rows, name));
  if (!(seconds > 0)) throw new Error(`--seconds ${values.seconds} is not a number above 0\n${usage}`);
  if (unknown !== undefined) throw new Error(`there is no row ${unknown}\n${usage}`);
  const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`];
  await run(names, seconds, resolve(values.dir), profile);
} catch (error) {
  // After an interruption, what fails does so because of it.
  if (process.exitCode === undefined) console.error((error as Error).message);
  process.exitCode ??= 1;
}

async function run(names: readonly string[], seconds: number, dir: string, nodeOptions: string[]): Promise<void> {
  mkdirSync(dir, { recursive: true });
  const servers = await Servers.in(dir, nodeOptions);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.exitCode = 130;
      void servers.clear();
    });
  }
  try {
    console.log(
      `Node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model}, ${seconds} s each, data in ${servers.dir}`,
    );
    const bench = { servers, seconds, program: await servers.startProgram('load') };
    const lines: Line[] = [];
    for (const [name, row] of Object.entries(rows)) {
      if (!names.includes(name)) continue;
      console.error(`${name} …`);
      lines.push(...(await row(bench)));
    }
    await bench.program.stop();
    console.log(table(lines));
  } finally {
    await servers.clear();
  }
}
