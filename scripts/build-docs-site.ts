import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { productDir } from '../src/kernel/product.js';
import { stageDocs } from './docs-site/stage-docs.js';
import { importTool } from './tools.js';

/**
 * Builds the documentation as a site into `dist-docs/site`, which any web server can serve at its root; it fetches nothing
 * from elsewhere. Fails on links to pages that do not exist.
 */
const dir = join(productDir, 'dist-docs');
const site = join(dir, 'site');

/** Policy that allows only files of the site to be loaded. The default theme sets styles of elements. */
const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'";

/** Moves the scripts in a page into files, because the policy forbids scripts that are not in a file. */
function secure(html: string): string {
  const moved = html.replace(
    /<script((?![^>]* src=)[^>]*)>([\s\S]+?)<\/script>/g,
    (_script, attributes: string, code: string) => {
      const name = `assets/inline.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
      writeFileSync(join(site, name), code);
      return `<script${attributes} src="/${name}"></script>`;
    },
  );
  return moved.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
}

const { build } = await importTool<{ build(dir: string): Promise<void> }>('vitepress');
rmSync(site, { recursive: true, force: true });
// The built pages import packages of the tools, to which a link in the directory leads.
rmSync(join(dir, 'node_modules'), { force: true });
await stageDocs(join(dir, 'source'));
symlinkSync(join(productDir, 'tools', 'node_modules'), join(dir, 'node_modules'), 'junction');
await build(join(dir, 'source'));
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
for (const page of pages.filter((name) => !name.startsWith('files'))) {
  writeFileSync(join(site, page), secure(readFileSync(join(site, page), 'utf8')));
}
console.log(`${pages.length} pages were built into ${site}.`);
