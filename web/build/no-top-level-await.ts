import type { Plugin } from 'vite';

/** Types of the nodes of a syntax tree whose content runs only when it is called. */
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/**
 * Forbids `await` outside of functions. If a module awaits something and `import()` requests another one that imports
 * it twice, WebKit may return that other module before its variables are set.
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
