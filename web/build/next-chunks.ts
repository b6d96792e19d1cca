import type { Plugin, Rolldown } from 'vite';

/** Lists the code and styles of modules that are loaded later, so that the page can fetch them in advance. */
export function nextChunks(modules: readonly string[]): Plugin {
  return {
    name: 'next-chunks',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const files = new Set<string>();
        for (const module of modules) {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${module}`));
          if (!chunk) throw new Error(`the build has no chunk of its own for ${module}`);
          collectFiles(chunk, bundle, files);
        }
        const loaded = new Set<string>();
        for (const chunk of chunks) if (chunk.isEntry) collectFiles(chunk, bundle, loaded);
        const content = [...files].filter((file) => !loaded.has(file)).join(' ');
        return [{ tag: 'meta', attrs: { name: 'next-chunks', content }, injectTo: 'head' }];
      },
    },
  };
}

/** Collects the chunk, everything that it imports statically, and their styles. */
function collectFiles(
  chunk: Rolldown.OutputChunk,
  bundle: Readonly<Record<string, Rolldown.OutputChunk | Rolldown.OutputAsset>>,
  files: Set<string>,
): void {
  if (files.has(chunk.fileName)) return;
  files.add(chunk.fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (imported?.type === 'chunk') collectFiles(imported, bundle, files);
  }
}
