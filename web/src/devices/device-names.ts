import { deviceWordsIn } from '../../../packages/search-language/device-words.ts';

/** Returns the address of the page of a device. */
export function devicePath(name: string): string {
  return `/devices/${encodeURIComponent(name)}`;
}

/** Returns the part of a name that neighbours share: `SR:C03-MG:G02A{Quad:` of `SR:C03-MG:G02A{Quad:1}`. */
export function namePrefix(name: string): string | undefined {
  return /^(.*[\p{L}\p{N}].*?[^\p{L}\p{N}]+)[\p{L}\p{N}]+[^\p{L}\p{N}]*$/u.exec(name)?.[1];
}

/** Turns device names in a rendered text into links. Names within links and fields stay as they are. */
export function linkDeviceNames(place: HTMLElement, names: readonly string[] = []): void {
  if (names.length === 0) return;
  const known = new Set(names);
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node as Text);
  for (const text of texts) {
    if (text.parentElement?.closest('a, button')) continue;
    const parts = splitAtNames(text.data, (word) => known.has(word));
    if (parts.length === 1) continue;
    text.replaceWith(...parts.map((part, at) => (at % 2 === 1 ? linkTo(part) : part)));
  }
}

/** Splits a text at names, which are then at the odd positions. */
export function splitAtNames(text: string, isName: (word: string) => boolean): string[] {
  const parts: string[] = [];
  let at = 0;
  for (const { word, start } of deviceWordsIn(text)) {
    if (!isName(word)) continue;
    parts.push(text.slice(at, start), word);
    at = start + word.length;
  }
  return [...parts, text.slice(at)];
}

function linkTo(name: string): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = devicePath(name);
  link.className = 'device-link';
  link.dataset.device = name;
  link.textContent = name;
  return link;
}
