const word = /[\p{L}\p{N}]+/gu;
const maxListed = 20;

/**
 * Returns at most 20 words of an original that a converted text lacks. A word is not lost if a link target stands
 * between its parts.
 */
export function findLostWords(visible: readonly string[], converted: string): string[] {
  const there = new Map<string, number>();
  for (const [found] of converted.matchAll(word)) there.set(found, (there.get(found) ?? 0) + 1);
  const lost: string[] = [];
  for (const [wanted] of visible.join('').matchAll(word)) {
    const left = there.get(wanted) ?? 0;
    if (left > 0) there.set(wanted, left - 1);
    else if (lost.length < maxListed) lost.push(wanted);
  }
  return lost.length === 0 || isSubsequence(visible.join('').match(word) ?? [], converted) ? [] : lost;
}

/** Whether the converted text contains all letters and digits in the same order. */
function isSubsequence(words: readonly string[], converted: string): boolean {
  let from = 0;
  for (const character of words.join('')) {
    const at = converted.indexOf(character, from);
    if (at < 0) return false;
    from = at + character.length;
  }
  return true;
}
