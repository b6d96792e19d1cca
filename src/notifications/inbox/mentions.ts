import type { Entry } from '../../entries/entry.js';
import { foldCase } from '../../kernel/text.js';

/** A user name, which may be an e-mail address, because the form of names depends on the provider. */
const userName = /[\p{L}\p{N}](?:[\p{L}\p{N}._+@-]*[\p{L}\p{N}])?/uy;
/** A word character before `@`, because `a@b.org` is not a mention. */
const wordBefore = /[\p{L}\p{N}._+@-]$/u;
/** Maximum number of `@` that are examined in a text, because more would delay other work. */
const maxPlaces = 1_000;

/** Returns the user names after `@` in the title or the text of an entry, with case folded. */
export function mentionsOf({ title, description }: Pick<Entry, 'title' | 'description'>): ReadonlySet<string> {
  return new Set([title, description].flatMap(namesAfterAt));
}

function namesAfterAt(text: string): string[] {
  const names: string[] = [];
  let at = text.indexOf('@');
  for (let places = 0; at >= 0 && places < maxPlaces; places += 1) {
    userName.lastIndex = at + 1;
    // The previous character has two code units if it is outside of the basic plane.
    const [name] = wordBefore.test(text.slice(Math.max(0, at - 2), at)) ? [] : (userName.exec(text) ?? []);
    if (name !== undefined) names.push(foldCase(name));
    at = text.indexOf('@', at + 1 + (name?.length ?? 0));
  }
  return names;
}
