import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files are not worth a second file. */
const minBytes = 1_024;

/** Writes a `.br` and a `.gz` file next to each text file of the build, for a server that compresses nothing itself. */
export function precompress(): Plugin {
  let outDir = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: (config) => {
      outDir = config.build.outDir;
    },
    writeBundle: () => {
      const assets = join(import.meta.dirname, '..', outDir, 'assets');
      for (const name of readdirSync(assets)) {
        if (!/\.(js|css|svg|json|wasm)$/.test(name)) continue;
        const file = join(assets, name);
        if (statSync(file).size < minBytes) continue;
        const content = readFileSync(file);
        const params = { [zlib.BROTLI_PARAM_QUALITY]: 11, [zlib.BROTLI_PARAM_SIZE_HINT]: content.byteLength };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
