import { writeFileSync } from 'node:fs';
import { run } from './run.mjs';

const byReference = (one, other) => (one < other ? -1 : 1);

/** Writes the software bill of materials of everything that the packages contain, including the runtime. */
export function makeBillOfMaterials(file, { name, epoch, node }) {
  const bill = JSON.parse(run('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only']));
  delete bill.serialNumber;
  bill.metadata.timestamp = new Date(epoch * 1_000).toISOString();
  // npm takes the name of the folder.
  Object.assign(bill.metadata.component, { name, type: 'application' });
  bill.components.push({
    'bom-ref': `${node.name}@${node.version}`,
    type: 'platform',
    name: 'node',
    version: node.version,
    scope: 'required',
    purl: `pkg:npm/${node.name}@${node.version}`,
    licenses: [{ license: { id: 'MIT' } }],
  });
  bill.components.sort((one, other) => byReference(one['bom-ref'], other['bom-ref']));
  bill.dependencies.sort((one, other) => byReference(one.ref, other.ref));
  writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`);
}
