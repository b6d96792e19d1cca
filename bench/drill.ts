import { parseArgs } from 'node:util';
import { drill } from '../test/drill/drill.js';
import { countFailures, describeOutcome } from '../test/drill/drill-outcome.js';
import { runInterruptibly } from './interruption.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    nodes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now()) },
    blobs: { type: 'string', default: 'files' },
    index: { type: 'string', default: 'embedded' },
  },
});
const { seconds, nodes, seed } = values;
const blobs = oneOf('--blobs', values.blobs, ['files', 's3'] as const);
const index = oneOf('--index', values.index, ['embedded', 'opensearch'] as const);

console.log(`A drill of ${seconds} s with ${nodes} nodes, blobs=${blobs}, index=${index}, seed ${seed}.`);
await runInterruptibly(async (signal) => {
  const outcome = await drill({ seconds: Number(seconds), nodes: Number(nodes), seed, blobs, index, signal });
  console.log(describeOutcome(outcome));
  process.exitCode = countFailures(outcome) === 0 ? 0 : 1;
});

function oneOf<T extends string>(option: string, value: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === value);
  if (found === undefined) throw new Error(`${option} must be ${choices.join(' or ')}`);
  return found;
}
