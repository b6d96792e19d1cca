// The configuration of VitePress, copied next to the pages by stage-docs.ts.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const { sidebar, nav } = JSON.parse(readFileSync(new URL('./pages.json', import.meta.url), 'utf8'));

/** Derives the anchors of headings as forges do, so that links work on the site and on forges. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default defineConfig({
  title: 'Logbook',
  description: 'An online logbook for large scientific facilities.',
  outDir: '../site',
  cacheDir: '../cache',
  // Links to copied files, which are not pages, and to a service on the machine of the reader.
  ignoreDeadLinks: [/^https?:\/\/localhost/, /^\/files\//],
  metaChunk: true,
  markdown: { html: false, linkify: false, anchor: { slugify } },
  themeConfig: {
    sidebar,
    nav,
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4_000 } },
});
