import { parseArgs } from 'node:util';
import { describeOutcome } from '../test/drill/drill-outcome.js';
import { findCompatibleVersion } from '../test/drill/earlier-version.js';
import { countUpgradeFailures, upgrade } from '../test/drill/upgrade.js';
import { runInterruptibly } from './interruption.js';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    commit: { type: 'string', default: findCompatibleVersion() ?? '' },
    blobs: { type: 'string', default: 'files' },
    index: { type: 'string', default: 'embedded' },
  },
});
const { nodes, commit } = values;
const blobs = values.blobs === 's3' ? 's3' : 'files';
const index = values.index === 'opensearch' ? 'opensearch' : 'embedded';
if (commit === '')
  throw new Error('The history of this checkout is missing: name the commit to upgrade from (--commit).');

console.log(`An upgrade of ${nodes} nodes from ${commit}, with blobs=${blobs} and index=${index}.`);
await runInterruptibly(async (signal) => {
  const outcome = await upgrade({
    commit,
    blobs,
    index,
    nodes: Number(nodes),
    writesPerStep: 200,
    signal,
    onStep: (step) => console.log(`${new Date().toISOString()}  ${step}`),
  });
  console.log(describeOutcome(outcome));
  console.log(`versions that the ledger does not have: ${outcome.unrecorded}`);
  console.log(`versions with the text that was removed: ${outcome.notRemoved}`);
  console.log(`nodes of this version that ended with an error: ${outcome.failedStops}`);
  console.log(outcome.verification);
  process.exitCode = countUpgradeFailures(outcome) === 0 ? 0 : 1;
});
