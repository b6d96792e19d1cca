import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { productDir } from '../src/kernel/product.js';
import { importTool } from './tools.js';

/** Prints how the folders of `src/` import each other. */

interface Cruiser {
  cruise(
    folders: readonly string[],
    options: object,
  ): Promise<{
    output: { modules: readonly { source: string; dependencies: readonly { resolved: string }[] }[] };
  }>;
}

const { options } = createRequire(import.meta.url)(join(productDir, '.dependency-cruiser.cjs')) as {
  options: object;
};
const dir = process.argv[2] ?? productDir;
const isTest = (file: string) => file.endsWith('.test.ts');
/** Returns the folder directly below `src/` that contains a file, or the name of a file that is directly there. */
const folderOf = (file: string) => file.split('/')[1] ?? file;

const { cruise } = await importTool<Cruiser>('dependency-cruiser');
const { output } = await cruise(['src'], { ...options, baseDir: dir });
const arrows = new Map<string, Set<string>>();
for (const { source, dependencies } of output.modules) {
  if (!source.startsWith('src/') || isTest(source)) continue;
  const from = folderOf(source);
  const targets = arrows.get(from) ?? new Set<string>();
  arrows.set(from, targets);
  for (const { resolved } of dependencies) {
    if (resolved.startsWith('src/') && !isTest(resolved) && folderOf(resolved) !== from)
      targets.add(folderOf(resolved));
  }
}

/** Returns all folders that a folder reaches, over any number of arrows. */
function reachable(from: string, seen = new Set<string>()): Set<string> {
  for (const target of arrows.get(from) ?? []) {
    if (seen.has(target)) continue;
    seen.add(target);
    reachable(target, seen);
  }
  return seen;
}

const folders = [...arrows.keys()];
const pairs = folders.flatMap((from) => [...(arrows.get(from) ?? [])].map((to) => [from, to] as const));
const mutual = pairs.filter(([from, to]) => from < to && arrows.get(to)?.has(from));
const inCycles = folders.filter((folder) => reachable(folder).has(folder));
const lines = new Map<string, number>();
for (const name of readdirSync(join(dir, 'src'), { recursive: true, encoding: 'utf8' })) {
  const file = `src/${name}`;
  if (!file.endsWith('.ts') || isTest(file)) continue;
  const count = readFileSync(join(dir, file), 'utf8').split('\n').length - 1;
  lines.set(folderOf(file), (lines.get(folderOf(file)) ?? 0) + count);
}
const total = [...lines.values()].reduce((sum, count) => sum + count, 0);
const [largest = ['', 0]] = [...lines].sort(([, a], [, b]) => b - a);
console.log(`folders and files in src/: ${folders.length}
arrows between them: ${pairs.length}
mutual pairs: ${mutual.length} ${mutual.map((pair) => pair.join('↔')).join(', ')}
folders in a cycle: ${inCycles.length} ${inCycles.join(', ')}
largest: ${largest[0]}, ${((100 * largest[1]) / total).toFixed(1)} % of ${total} lines`);
