import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of package.json: the root of the checkout or of the installed package. */
export const productDir: string = (() => {
  let dir = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(dir, 'package.json'))) dir = dirname(dir);
  return dir;
})();

export const productVersion: string = (
  JSON.parse(readFileSync(join(productDir, 'package.json'), 'utf8')) as { version: string }
).version;
