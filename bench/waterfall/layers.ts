/** A CPU profile as the inspector returns it. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  /** Number of samples in which this function itself was running. */
  readonly hitCount?: number | undefined;
  readonly children?: readonly number[] | undefined;
}

/** A function that ran, by its script and its position in it. */
export interface CalledFunction {
  readonly url: string;
  readonly offset: number;
}

/** Layers of a request from the socket inwards and back, each with the code that belongs to it. The first match counts. */
const layers: readonly (readonly [name: string, code: RegExp])[] = [
  ['send', /fastify\/lib\/reply\.js (?:onSendEnd|safeWriteHead|writePayload|sendStream|sendTrailer)$/],
  [
    'log',
    /node_modules\/(?:pino|sonic-boom|safe-stable)|src\/http\/request\/(?:request-log|redact-url|slow-req)|journal/,
  ],
  [
    'metrics',
    /node_modules\/prom-client|src\/http\/(?:metrics|duration-histogram)|src\/app\/observe\/|src\/kernel\/tracing/,
  ],
  ['compression', /src\/http\/reply\/compression/],
  ['headers', /node_modules\/(?:helmet|@fastify\/(?:helmet|cors|cookie))|src\/http\/reply\/(?:security|etag|cross)/],
  ['authentication', /src\/auth\/|src\/api\/access\/(?:session-cookie|request-principal)/],
  ['access', /src\/api\/access\//],
  ['admission', /src\/http\/admission\/|src\/kernel\/fair-/],
  ['validation', /node_modules\/(?:ajv|@fastify\/ajv)|src\/http\/request\/schema-validator|^ /],
  ['body', /src\/http\/request\/(?:json-body|read-bodies|receive-body|body-chunks)/],
  ['transport', /src\/http\//],
  ['router', /node_modules\/(?:fastify|find-my-way|fast-|@fastify)/],
  ['storage', /src\/engines\/|node_modules\/@photostructure/],
  ['search', /src\/search\/|src\/api\/search\/|packages\/search-language\//],
  ['entries', /src\/entries\/|src\/api\/|packages\/|src\/ledger\/|src\/attachments\/|src\/catalog\/|node_modules\//],
  ['other', /src\//],
];

const native: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'outside of JavaScript',
};
const base = 'node:http';
/** The layers in the order of a table. */
export const layerNames = [
  base,
  'outside of JavaScript',
  'router',
  ...layers.map(([name]) => name).filter((name) => name !== 'router'),
  'garbage collection',
] as const;

/**
 * Returns the share of each layer in the samples of a profile in which something ran. Functions of Node.js itself belong
 * to the layer that called them.
 */
export function sharesOf({ nodes }: CpuProfile): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const hits = new Map<string, number>();
  const visit = (node: ProfileNode, caller: string) => {
    const layer = layerOf(node) ?? caller;
    if (node.callFrame.functionName !== '(idle)') hits.set(layer, (hits.get(layer) ?? 0) + (node.hitCount ?? 0));
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) visit(child, layer);
    }
  };
  const [root] = nodes;
  if (root) visit(root, base);
  const all = [...hits.values()].reduce((sum, count) => sum + count, 0);
  return new Map(Array.from(hits, ([layer, count]) => [layer, count / all]));
}

/** Returns the layer; undefined: that of the caller. */
function layerOf({ callFrame: { functionName, url } }: ProfileNode): string | undefined {
  const ofV8 = native[functionName];
  if (ofV8 !== undefined) return ofV8;
  if (url === '' || url.startsWith('node:')) return undefined;
  return layers.find(([, code]) => code.test(`${url} ${functionName}`))?.[0];
}

/** Number of files and functions of `src/` and `packages/` that ran. */
export function countOwn(called: readonly CalledFunction[]): { readonly files: number; readonly functions: number } {
  const own = called.filter(({ url }) => /\/dist\/(?:src|packages)\//.test(url));
  return { files: new Set(own.map(({ url }) => url)).size, functions: own.length };
}
