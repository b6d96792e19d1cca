import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolve } from 'import-meta-resolve';
import { productDir } from '../src/kernel/product.js';

const toolsDir = join(productDir, 'tools');

/** Whether `tools/` is installed. Building, testing and running the service do not need it. */
export const hasTools = existsSync(join(toolsDir, 'node_modules'));

/** Imports a package of `tools/`. @throws Error that says how to install it */
export async function importTool<Module>(name: string): Promise<Module> {
  if (!hasTools) throw new Error('The tools are not installed: run “npm ci --prefix tools”.');
  return (await import(resolve(name, pathToFileURL(join(toolsDir, 'package.json')).href))) as Module;
}
