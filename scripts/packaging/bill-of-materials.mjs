import { writeFileSync } from 'node:fs';
import { run } from './run.mjs';

const byReference = (one, other) => (one < other ? -1 : 1);

/** Writes the software bill of materials of everything that the packages contain, including their runtimes. */
export function makeBillOfMaterials(file, { name, epoch, runtimes }) {
  const bill = JSON.parse(run('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only']));
  delete bill.serialNumber;
  bill.metadata.timestamp = new Date(epoch * 1_000).toISOString();
  // npm names the component after the folder of the checkout.
  Object.assign(bill.metadata.component, { name, type: 'application' });
  const components = runtimes.map((runtime) => ({
    'bom-ref': `${runtime.name}@${runtime.version}`,
    type: 'platform',
    name: 'node',
    version: runtime.version,
    scope: 'required',
    purl: `pkg:npm/${runtime.name}@${runtime.version}`,
    licenses: [{ license: { id: 'MIT' } }],
  }));
  bill.components.push(...components);
  bill.components.sort((one, other) => byReference(one['bom-ref'], other['bom-ref']));
  bill.dependencies.sort((one, other) => byReference(one.ref, other.ref));
  writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`);
}
