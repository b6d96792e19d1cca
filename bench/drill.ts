import { drill } from '../test/drill/drill.js';
import { describeOutcome } from '../test/drill/drill-outcome.js';

const [seconds = '60', nodes = '2', seed = String(Date.now())] = process.argv.slice(2);

console.log(`A drill of ${seconds} s with ${nodes} nodes, seed ${seed}.`);
const outcome = await drill({ seconds: Number(seconds), nodes: Number(nodes), seed });
console.log(describeOutcome(outcome));
const { lost, twice, staleSearches, eventsMissing, eventsTwice, eventsOutOfOrder, indexDifferences } = outcome;
const failures = lost + twice + staleSearches + eventsMissing + eventsTwice + eventsOutOfOrder + indexDifferences;
process.exitCode = failures === 0 ? 0 : 1;
