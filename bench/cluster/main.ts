import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runInterruptibly } from '../interruption.js';
import { Corpus } from '../search/corpus.js';
import { measureRows } from './rows.js';
import { withSides } from './sides.js';

const usage = `npm run bench:cluster -- [--entries N] [--seconds N] [--nodes N] [--opensearch] [--dir DIR]
  --entries     number of entries; default 100000
  --seconds     duration of each load; default 2
  --nodes       number of nodes of the cluster; default 3
  --opensearch  also measure a node that searches in OpenSearch
  --dir         directory that keeps the entries for the next run; default dist/bench-search-ENTRIES-1, as in bench:search`;

await runInterruptibly(run);

async function run(signal: AbortSignal): Promise<void> {
  const { values } = parseArgs({
    options: {
      entries: { type: 'string', default: '100000' },
      seconds: { type: 'string', default: '2' },
      nodes: { type: 'string', default: '3' },
      opensearch: { type: 'boolean', default: false },
      dir: { type: 'string' },
    },
  });
  const [entries, seconds, nodes] = [values.entries, values.seconds, values.nodes].map(Number) as [
    number,
    number,
    number,
  ];
  if (!(Number.isInteger(entries) && entries > 0))
    throw new Error(`--entries must be a whole number above 0\n${usage}`);
  if (!(seconds > 0)) throw new Error(`--seconds must be a number above 0\n${usage}`);
  if (!(Number.isInteger(nodes) && nodes > 0)) throw new Error(`--nodes must be a whole number above 0\n${usage}`);
  console.log(
    `Node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model}, ${entries} entries, ${seconds} s each`,
  );
  const corpus = new Corpus(1, entries);
  const dataDir = resolve(values.dir ?? `dist/bench-search-${entries}-1`);
  await withSides({ corpus, dataDir, nodes, hasOpenSearch: values.opensearch, signal }, (sides) =>
    measureRows(sides, { corpus, seconds, signal }),
  );
}
