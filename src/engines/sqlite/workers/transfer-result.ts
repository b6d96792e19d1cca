import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { TaskResult } from './messages.js';

/** Transfers a result to the main thread without copying the bytes of a page. */
export function transferResult(result: TaskResult): TaskResult {
  const entries = result.kind === 'page' ? result.page.entries : result.kind === 'shown' ? result.entries : undefined;
  if (entries === undefined || entries.kind === 'long') return result;
  const { buffer } = entries.json;
  return move({ [transferableSymbol]: [buffer], [valueSymbol]: result } as never) as never;
}
