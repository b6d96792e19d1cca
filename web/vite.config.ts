import { join } from 'node:path';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { firstPage } from './build/first-page.ts';
import { nextChunks } from './build/next-chunks.ts';
import { noTopLevelAwait } from './build/no-top-level-await.ts';
import { precompress } from './build/precompress.ts';
import { serviceWorker } from './build/service-worker.ts';

/** The service that `npm run dev` in web/ talks to. */
const service = process.env.LOGBOOK_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [
    react(),
    { ...optimizeLocales.vite({ locales: ['en-US', 'en-GB', 'de-DE'] }), enforce: 'pre' },
    firstPage(/inter-latin-wght-normal.*\.woff2$/),
    // Modules that the next click or key probably needs. A fetched chunk is available immediately, even while the
    // service is not.
    nextChunks([
      'keys/press-again.ts',
      'read/entry-pane.tsx',
      'read/markdown.ts',
      'write/write-page.tsx',
      'compose/reply-composer.tsx',
      'write/editor/markdown-editor.tsx',
      'write/paste/rich-text.ts',
      'palette/palette.tsx',
      'keys/keys-sheet.tsx',
      'session/sign-in-page.tsx',
      'session/sign-in-card.tsx',
      'hand-over/hand-over-page.tsx',
      'drafts/drafts-page.tsx',
      'read/history-page.tsx',
    ]),
    noTopLevelAwait(),
    precompress(),
    serviceWorker(join(import.meta.dirname, 'src', 'offline', 'worker', 'service-worker.ts')),
  ],
  resolve: {
    // CodeMirror's own module adds style elements, which the Content-Security-Policy forbids.
    alias: { 'style-mod': join(import.meta.dirname, 'src', 'styles', 'style-module.ts') },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would be data: URLs, which the Content-Security-Policy allows for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Modules that are loaded later stay files of their own, so that they can be fetched before they are used.
      experimental: { chunkOptimization: false },
      // Code that every page needs is one file. Divided by the pages that share it, it would be sixty files, each with
      // its own headers.
      output: { codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] } },
    },
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 700,
  },
  // Workers are modules, as the pages are.
  worker: { format: 'es' },
  server: { proxy: { '/logbook': { target: service, ws: true }, '/swagger-ui': service } },
});
