import { addressPattern } from '../../read/caption.ts';

/** Maximum length of a file name that the service accepts. */
const maxNameBytes = 255;

/** Returns a name that differs from all others even without regard to case, which some systems ignore. */
export function freeName(name: string, taken: readonly string[]): string {
  const names = new Set(taken.map((one) => one.toLowerCase()));
  const clean = name.replace(/[/\\\p{Cc}]/gu, '_').trim() || 'file';
  const [, stem = clean, extension = ''] = /^(.+?)(\.[^.]{1,20})?$/.exec(clean) ?? [];
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? extension : `-${number}${extension}`;
    const candidate = `${beginning(stem, maxNameBytes - byteLength(end))}${end}`;
    if (!names.has(candidate.toLowerCase())) return candidate;
  }
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** Returns as much of the text as fits, in whole characters. */
function beginning(text: string, maxBytes: number): string {
  const letters = [...text];
  while (byteLength(letters.join('')) > maxBytes) letters.pop();
  return letters.join('');
}

/** The name of a HEIC image that became a JPEG. */
export function jpegName(name: string): string {
  return name.replace(/\.(heic|heif)$/i, '').concat('.jpg');
}

const maxEmbeddedWidth = 1_000;

interface Embedded {
  readonly id: string;
  readonly name: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Returns the Markdown of an image in the text. */
export function embeddedImage({ id, name, width, height }: Embedded): string {
  const alt = name.replace(/\.[^.]+$/, '').replace(/[[\]\\]/g, ' ');
  if (!width || !height) return `![${alt}](attachment/${id})`;
  const scale = Math.min(1, maxEmbeddedWidth / width);
  return `![${alt}](attachment/${id}){width=${Math.round(width * scale)} height=${Math.round(height * scale)}}`;
}

/** Returns the pattern of the image in the text, including the end of its line. */
export function embeddedPattern(id: string): RegExp {
  return new RegExp(`!\\[[^\\]\\n]*\\]${addressPattern(id)}(\\{[^}\\n]*\\})?\\n?`, 'g');
}

/**
 * Returns the text with a removed part restored. If the text was not changed after the removal, returns the earlier
 * text; otherwise, puts the part next to unchanged text.
 */
export function restoreRemoved(text: string, before: string, pattern: RegExp): string {
  const [image] = before.match(pattern) ?? [];
  if (image === undefined) return text;
  const at = before.search(pattern);
  const [start, rest] = [before.slice(0, at), before.slice(at).replace(pattern, '')];
  if (text === before.replace(pattern, '')) return before;
  if (text.startsWith(start)) return `${start}${image}${text.slice(start.length)}`;
  if (rest !== '' && text.endsWith(rest)) return `${text.slice(0, -rest.length)}${image}${rest}`;
  return `${text.trimEnd()}\n\n${image}`;
}

/** Replaces an image in the text: the new one is as wide as the old one, unless it has fewer pixels. */
export function withOtherImage(
  text: string,
  id: string,
  { id: nextId, width = 0, height = 0 }: Omit<Embedded, 'name'>,
): string {
  const place = new RegExp(`${addressPattern(id)}(?:\\{width=(\\d+)[^}\\n]*\\})?`, 'g');
  return text.replace(place, (_, title?: string, shown?: string) => {
    const address = `(attachment/${nextId}${title ? ` ${title}` : ''})`;
    if (shown === undefined || !width) return address;
    const shownWidth = Math.min(Number(shown), width);
    return `${address}{width=${shownWidth} height=${Math.round((shownWidth * height) / width)}}`;
  });
}

/**
 * Formats a size that exceeds a limit, in the same units. It is rounded up, so that it always looks larger than the
 * limit.
 */
export function formatSize(bytes: number): string {
  const megabytes = bytes / 1_048_576;
  return megabytes >= 1 ? `${(Math.ceil(megabytes * 100) / 100).toFixed(2)} MB` : `${Math.ceil(bytes / 1_024)} kB`;
}

/** Formats a limit as `15 MB`: limits are set in units of 1 048 576 bytes. */
export function formatLimit(bytes: number): string {
  const megabytes = bytes / 1_048_576;
  return megabytes >= 1 ? `${Number(megabytes.toFixed(1))} MB` : `${Math.round(bytes / 1_024)} kB`;
}
