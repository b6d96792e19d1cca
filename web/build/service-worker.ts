import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';

/**
 * Maximum size of the files that the service worker stores in advance. It stores larger ones when they are first used.
 */
const maxBytes = 1_000_000;
const noBuild = '<meta name="build" content="">';

/** Builds the service worker with the list of all files of the client, and names the build in the page. */
export function serviceWorker(entry: string): Plugin {
  let dir = '';
  let publicDir = '';
  return {
    name: 'service-worker',
    apply: 'build',
    configResolved: (config) => {
      dir = join(import.meta.dirname, '..', config.build.outDir);
      publicDir = config.publicDir;
    },
    writeBundle: {
      // After all other files are written.
      order: 'post',
      sequential: true,
      handler: async () => {
        const { version, files } = listFiles(dir, readdirSync(publicDir));
        const page = join(dir, 'index.html');
        const html = readFileSync(page, 'utf8');
        if (!html.includes(noBuild)) throw new Error(`index.html has no ${noBuild}`);
        writeFileSync(page, html.replace(noBuild, noBuild.replace('""', `"${version}"`)));
        await buildWorker(entry, dir, { version, files });
      },
    },
  };
}

interface Client {
  readonly version: string;
  readonly files: readonly string[];
}

function listFiles(dir: string, rootFiles: readonly string[]): Client {
  const assets = readdirSync(join(dir, 'assets'))
    .filter((name) => !/\.(br|gz)$/.test(name))
    .map((name) => `assets/${name}`)
    .sort();
  const hash = createHash('sha256').update(readFileSync(join(dir, 'index.html')));
  // The names of the other files contain hashes of their content.
  for (const name of rootFiles.toSorted()) hash.update(readFileSync(join(dir, name)));
  hash.update(assets.join());
  const kept = assets.filter((name) => statSync(join(dir, name)).size <= maxBytes);
  return { version: hash.digest('hex').slice(0, 16), files: [...rootFiles, ...kept].map((name) => `/${name}`) };
}

/** Builds one classic script: not every browser supports service workers that are modules. */
async function buildWorker(entry: string, dir: string, client: Client): Promise<void> {
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: { builtClient: JSON.stringify(client) },
    build: {
      outDir: dir,
      emptyOutDir: false,
      target: 'es2022',
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: entry,
        output: { format: 'iife', entryFileNames: 'service-worker.js' },
        checks: { pluginTimings: false },
      },
    },
  });
}
