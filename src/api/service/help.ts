import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productDir } from '../../kernel/product.js';

/** The help pages, named as their addresses are. */
export const helpPages = ['CommonmarkCheatsheet', 'SearchHelp'] as const;

const languages = ['en'];

/** The page as HTML in that language, else in English; undefined when there is none of that name. */
export async function findHelp(what: string, language: string): Promise<string | undefined> {
  const asked = what.replace(/\.html$/, '').toLowerCase();
  const page = helpPages.find((name) => name.toLowerCase() === asked);
  if (page === undefined) return undefined;
  const known = languages.find((one) => language.toLowerCase().split(/[-_]/)[0] === one) ?? 'en';
  return readFile(join(productDir, 'assets', 'help', `${page}_${known}.html`), 'utf8');
}
