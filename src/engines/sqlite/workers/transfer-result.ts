import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { TaskResult } from './messages.js';

/** Hands a result to the main thread; the bytes of a page without copying them. */
export function transferResult(result: TaskResult): TaskResult {
  if (result.kind !== 'page' || result.page.entries.kind !== 'joined') return result;
  const { buffer } = result.page.entries.json;
  return move({ [transferableSymbol]: [buffer], [valueSymbol]: result } as never) as never;
}
