import { move, transferableSymbol, valueSymbol } from 'piscina';
import { freeMemory } from '../../../kernel/free-memory.js';
import type { SearchPage } from '../../../search/search-index.port.js';
import type { TaskResult } from './messages.js';

/** Transfers a result to the main thread without copying the bytes of a page. */
export function transferResult(result: TaskResult): TaskResult {
  const entries = result.kind === 'page' ? result.page.entries : result.kind === 'shown' ? result.entries : undefined;
  if (entries === undefined || entries.kind === 'long') return result;
  const { buffer } = entries.json;
  return move({ [transferableSymbol]: [buffer], [valueSymbol]: result } as never) as never;
}

/** Returns a transferred page that no other search uses, with a function that frees its memory. */
export function withFree(page: SearchPage): SearchPage {
  const { entries } = page;
  return entries.kind === 'joined' ? { ...page, entries: { ...entries, free: () => freeMemory(entries.json) } } : page;
}
