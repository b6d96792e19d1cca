import type { Entry } from '../../entries/entry.js';
import { foldCase } from '../../kernel/text.js';

/** A user name after `@`. The character before it must not belong to a word: `a@b.org` mentions nobody. */
const mention = /(?<![\p{L}\p{N}._@-])@([\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?)/gu;

/** Returns the user names that the title or the text of an entry mentions, with case folded. */
export function mentionsOf({ title, description }: Pick<Entry, 'title' | 'description'>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const text of [title, description]) {
    if (!text.includes('@')) continue;
    for (const [, name = ''] of text.matchAll(mention)) names.add(foldCase(name));
  }
  return names;
}
