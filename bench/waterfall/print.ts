import { layerNames } from './layers.js';
import type { KindCosts } from './measure.js';
import type { Kind } from './requests.js';

const width = 24;
const column = 14;

/** Prints the costs of a kind of request, and the layers of which they consist in each build. */
export function printKind({ name }: Kind, { bodyBytes, costs, builds }: KindCosts): void {
  console.log(`\n${name}, ${bodyBytes} bytes: CPU per request in µs`);
  printRow('', ['main thread', 'all threads']);
  for (const [server, { mainThread, allThreads }] of costs)
    printRow(server, [mainThread.toFixed(0), allThreads.toFixed(0)]);
  printRow(
    'layer (main thread)',
    builds.map((build) => build.name),
  );
  for (const layer of layerNames) {
    const micros = builds.map(
      ({ name: build, shares }) => (shares.get(layer) ?? 0) * (costs.get(build)?.mainThread ?? 0),
    );
    if (micros.some((value) => value >= 0.5))
      printRow(
        `  ${layer}`,
        micros.map((value) => value.toFixed(0)),
      );
  }
  printRow(
    'own files, functions',
    builds.map(({ files, functions }) => `${files}, ${functions}`),
  );
}

function printRow(name: string, cells: readonly string[]): void {
  console.log(`${name.padEnd(width)}${cells.map((cell) => cell.padStart(column)).join('')}`.trimEnd());
}
