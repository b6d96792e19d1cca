import type { FindSearch } from './find-search.ts';

/** Position of the list when its page was left, for a return to the same search. */
let kept: { readonly search: string; readonly offset: number } | undefined;

export function keepOffset(search: FindSearch, offset: number): void {
  kept = { search: JSON.stringify(search), offset };
}

/** Whether a list with this offset shows its first row completely. */
export function isAtTop(offset: number): boolean {
  return offset < 4;
}

export function keptOffset(search: FindSearch): number {
  return kept?.search === JSON.stringify(search) ? kept.offset : 0;
}
