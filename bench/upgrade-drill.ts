import { describeOutcome } from '../test/drill/drill-outcome.js';
import { findEarlierVersion } from '../test/drill/earlier-version.js';
import { countUpgradeFailures, upgrade } from '../test/drill/upgrade.js';
import { runInterruptibly } from './interruption.js';

const [nodes = '3', commit = findEarlierVersion()] = process.argv.slice(2);
if (commit === undefined) throw new Error('The history of this checkout is missing: name the commit to upgrade from.');

console.log(`An upgrade of ${nodes} nodes from ${commit}.`);
await runInterruptibly(async (signal) => {
  const outcome = await upgrade({
    commit,
    nodes: Number(nodes),
    writesPerStep: 200,
    signal,
    onStep: (step) => console.log(`${new Date().toISOString()}  ${step}`),
  });
  console.log(describeOutcome(outcome));
  console.log(`versions that the ledger does not have: ${outcome.unrecorded}`);
  console.log(`versions with the text that was removed: ${outcome.notRemoved}`);
  console.log(outcome.verification);
  process.exitCode = countUpgradeFailures(outcome) === 0 ? 0 : 1;
});
