import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productDir } from '../../kernel/product.js';

/** The names of the help pages, as in their URLs. */
export const helpPages = ['CommonmarkCheatsheet', 'SearchHelp'] as const;

export const helpLanguages = ['en'];

/** Finds the help page with this name as HTML, in the given language if available, otherwise in English. */
export async function findHelp(what: string, language: string): Promise<string | undefined> {
  const wanted = what.replace(/\.html$/, '').toLowerCase();
  const page = helpPages.find((name) => name.toLowerCase() === wanted);
  if (page === undefined) return undefined;
  const available = helpLanguages.find((one) => language.toLowerCase().split(/[-_]/)[0] === one) ?? 'en';
  return readFile(join(productDir, 'assets', 'help', `${page}_${available}.html`), 'utf8');
}
