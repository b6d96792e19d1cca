/** Returns the address of the page of a device. */
export function devicePath(name: string): string {
  return `/devices/${encodeURIComponent(name)}`;
}

/** Returns the part of a name that neighbours share: `SR:C03-MG:G02A{Quad:` of `SR:C03-MG:G02A{Quad:1}`. */
export function namePrefix(name: string): string | undefined {
  return /^(.*[\p{L}\p{N}].*?[^\p{L}\p{N}]+)[\p{L}\p{N}]+[^\p{L}\p{N}]*$/u.exec(name)?.[1];
}

/** Makes links of the names of devices in a text that is shown. Names within links and fields stay as they are. */
export function linkDeviceNames(place: HTMLElement, names: readonly string[] | undefined): void {
  const pattern = namePattern(names ?? []);
  if (!pattern) return;
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node as Text);
  for (const text of texts) {
    if (text.parentElement?.closest('a, button')) continue;
    const parts = splitAtNames(text.data, pattern);
    if (parts.length === 1) continue;
    text.replaceWith(...parts.map((part, at) => (at % 2 === 1 ? linkTo(part) : part)));
  }
}

/** Splits a text at names: those are at the odd positions. */
export function splitAtNames(text: string, pattern: RegExp): string[] {
  return text.split(pattern);
}

/** Matches the names as whole words; undefined: there are none. */
export function namePattern(names: readonly string[]): RegExp | undefined {
  if (names.length === 0) return undefined;
  // A name that continues another one is found first.
  const longestFirst = [...names].sort((one, other) => other.length - one.length);
  const any = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}_:{}-])(${any})(?![\\p{L}\\p{N}_{}-]|[.:][\\p{L}\\p{N}{])`, 'u');
}

function linkTo(name: string): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = devicePath(name);
  link.className = 'device-link';
  link.dataset.device = name;
  link.textContent = name;
  return link;
}
