import type { Plugin, Rolldown } from 'vite';

type Bundle = Readonly<Record<string, Rolldown.OutputChunk | Rolldown.OutputAsset>>;

/**
 * Saves two requests of the first page: its chunk contains a copy of the bundler's small helpers, which all other
 * chunks still import, and the page names the font instead of loading it.
 */
export function firstPage(font: RegExp): Plugin {
  return {
    name: 'first-page',
    apply: 'build',
    enforce: 'pre',
    generateBundle: (_options, bundle) => {
      const helpers = chunkNamed(bundle, 'rolldown-runtime');
      const base = chunkNamed(bundle, 'base');
      const file = helpers.fileName.split('/').at(-1) ?? '';
      const [whole, names] = new RegExp(`import\\{([^}]*)\\}from"\\./${file}";`).exec(base.code) ?? [];
      const [exported, list] = /export\{([^}]*)\};?\s*$/.exec(helpers.code) ?? [];
      if (!whole || !exported) throw new Error(`the chunk ${base.fileName} does not import ${helpers.fileName}`);
      const returned = pairsOf(list).map(([own, name]) => `${name}:${own}`);
      const taken = pairsOf(names).map(([name, own]) => `${name}:${own}`);
      const copy = `const{${taken}}=(()=>{${helpers.code.replace(exported, '')};return{${returned}}})();`;
      base.code = base.code.replace(whole, () => copy);
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const file = Object.keys(bundle).find((name) => font.test(name));
        if (file === undefined) throw new Error(`the build has no font ${font}`);
        const helpers = new RegExp(
          `\\s*<script[^>]*src="/${chunkNamed(bundle, 'rolldown-runtime').fileName}"></script>`,
        );
        if (!helpers.test(html)) throw new Error('the page does not load the helpers of the bundler');
        return html
          .replace(helpers, '')
          .replace('<meta name="font" content="">', `<meta name="font" content="/${file}">`);
      },
    },
  };
}

function chunkNamed(bundle: Bundle, name: string): Rolldown.OutputChunk {
  const chunk = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === name);
  if (chunk?.type !== 'chunk') throw new Error(`the build has no chunk ${name}`);
  return chunk;
}

/** Reads `a as b, c` as pairs of the first and the second name. */
function pairsOf(names = ''): (readonly [string, string])[] {
  return names.split(',').map((one) => {
    const [first = '', second = first] = one.trim().split(' as ');
    return [first, second] as const;
  });
}
