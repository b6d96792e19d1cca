/** A file that is part of a text, such as a screenshot that was pasted into an editor. */
export interface DataFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

const dataAddress =
  /(\s(?:src|(?:xlink:)?href|background|poster|data)\s*=\s*)(?:"\s*data:([^",]{0,200}),([^"]*)"|'\s*data:([^',]{0,200}),([^']*)'|data:([^"'\s>,]{0,200}),([^"'\s>]*))/gi;
const styleAttribute = /\sstyle\s*=\s*(?:"[^"]*"|'[^']*')/gi;
/** A picture in a style, such as `url(data:…)`; its quotes may be apostrophes or character references. */
const dataStyle = /(url\(\s*(?:&quot;|&#3[49];|["'])?)\s*data:([^,"'()]{0,200}),([\w+/=%.~-]*)/gi;
/** Matches an image in ELCode: `[img]data:…[/img]` or `[img=data:…]`. */
const dataImage = /(\[img(?:\s[^\]=]{0,200})?(?:\]|=)\s*)"?data:([^,[\]]{0,200}),([^[\]"]*)"?/gi;
const maxFiles = 1_000;
const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
  'text/plain': 'txt',
};

/** Returns the address that stands for the file at a position in the list. */
export const toDataAddress = (at: number): string => `elog-data:${at}`;

/** Returns the files that are part of a text, and the text with addresses in their place. */
export function takeDataFiles(
  original: string,
  markup: 'html' | 'elcode',
): { readonly text: string; readonly files: readonly DataFile[] } {
  const files: DataFile[] = [];
  if (!/data:/i.test(original)) return { text: original, files };
  const take = (whole: string, name: string, type: string, content: string, quote = '') => {
    const bytes = decode(type, content);
    if (bytes.length === 0 || files.length >= maxFiles) return whole;
    const mediaType = type.split(';')[0]?.trim().toLowerCase() ?? '';
    const [, subtype = 'bin'] = /^\w+\/(?:x-)?([\w-]{1,16})$/.exec(mediaType) ?? [];
    files.push({ filename: `pasted-${files.length + 1}.${extensions[mediaType] ?? subtype}`, bytes });
    return `${name}${quote}${toDataAddress(files.length - 1)}${quote}`;
  };
  const takeUnquoted = (whole: string, name: string, type: string, content: string) => take(whole, name, type, content);
  if (markup === 'elcode') return { text: original.replace(dataImage, takeUnquoted), files };
  const text = original
    .replace(dataAddress, (whole, name: string, ...parts: (string | undefined)[]) => {
      const [type, content] = [parts[0] ?? parts[2] ?? parts[4] ?? '', parts[1] ?? parts[3] ?? parts[5] ?? ''];
      return take(whole, name, type, content, '"');
    })
    .replace(styleAttribute, (style) => style.replace(dataStyle, takeUnquoted));
  return { text, files };
}

function decode(type: string, content: string): Uint8Array {
  try {
    const text = content.includes('%') ? decodeURIComponent(content) : content;
    return Buffer.from(text, /;\s*base64\s*$/i.test(type) ? 'base64' : 'utf8');
  } catch {
    return new Uint8Array();
  }
}
