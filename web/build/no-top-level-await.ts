import type { Plugin } from 'vite';

/** The parts of a syntax tree that are run only when something calls them. */
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/**
 * Forbids `await` outside of functions. If a module waits, WebKit may return another one that imports it before its
 * variables are set, namely when `import()` requests it twice.
 */
export function noTopLevelAwait(): Plugin {
  return {
    name: 'no-top-level-await',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !waits(this.parse(file.code))) continue;
        throw new Error(`${file.fileName} awaits outside of functions, which WebKit does not support`);
      }
    },
  };
}

function waits(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { type, await: isAwaiting } = node as { readonly type?: unknown; readonly await?: unknown };
  if (functions.has(String(type))) return false;
  return type === 'AwaitExpression' || isAwaiting === true || Object.values(node).some(waits);
}
