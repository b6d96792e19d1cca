import type { FastifyInstance } from 'fastify';

type Node = { readonly children: Map<string, Node>; readonly methods: Set<string> };

const newNode = (): Node => ({ children: new Map(), methods: new Set() });
const anySegment = ':';

/** The paths of all routes with their methods, to distinguish a wrong method from an unknown path. */
export class KnownPaths {
  private readonly root = newNode();

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ method, url }) => {
      // A wildcard route, for OPTIONS or for files below a path, does not make a path known.
      if (!url.includes('*')) this.add(url, [method].flat());
    });
  }

  /** Returns the methods of the path, in alphabetical order; none when no route has this path. */
  methodsOf(path: string): string[] {
    const found = new Set<string>();
    collect(this.root, segmentsOf(path), found);
    return [...found].sort();
  }

  private add(url: string, methods: readonly string[]): void {
    let node = this.root;
    for (const segment of segmentsOf(url)) {
      const key = segment.startsWith(':') ? anySegment : segment;
      const next = node.children.get(key) ?? newNode();
      node.children.set(key, next);
      node = next;
    }
    for (const method of methods) node.methods.add(method);
  }
}

function collect(node: Node, [segment, ...rest]: readonly string[], found: Set<string>): void {
  if (segment === undefined) {
    for (const method of node.methods) found.add(method);
    return;
  }
  for (const key of [segment, anySegment]) {
    const next = node.children.get(key);
    if (next) collect(next, rest, found);
  }
}

const maxSegments = 20;

/** Splits a path into its segments; repeated slashes and a trailing slash add none. */
function segmentsOf(path: string): string[] {
  return path
    .replace(/\/{2,}/g, '/')
    .replace(/^\/|\/$/g, '')
    .split('/', maxSegments);
}
