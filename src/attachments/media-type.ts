import { Fault, quoted } from '../kernel/fault.js';

const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs']);
/** Types whose files are text: their content looks alike, so the file name decides between them. */
const writtenAsText = /^text\/|^image\/svg\+xml$|^application\/(?:json|xml|yaml|toml|.*\+(?:json|xml))$/;
/** Brands of the HEIF family, of which browsers show only AVIF. */
const heifBrands = new Set(['mif1', 'mif2', 'msf1', '1pic']);

/**
 * Detects the media type of a file from its first bytes or, where they are inconclusive, from its name.
 * @throws Fault invalid `attachment.heic` for an HEIC or HEIF image, which browsers cannot show
 */
export async function detectMediaType(head: Uint8Array, filename: string): Promise<string> {
  // Loaded with the first upload: many installations have none, and the tables take memory.
  const [{ fileTypeFromBuffer }, { default: mime }] = await Promise.all([import('file-type'), import('mime')]);
  const detected = await fileTypeFromBuffer(head);
  if (/^image\/hei[cf]/.test(detected?.mime ?? '') || isHeic(head)) {
    throw new Fault(
      'invalid',
      'attachment.heic',
      `${quoted(filename)} is a HEIC/HEIF image, which browsers cannot show. Convert it to JPEG or PNG first.`,
    );
  }
  const named = mime.getType(filename) ?? undefined;
  // The byte order mark of UTF-16 can be mistaken for the beginning of an MP3.
  if (isUtf16(head) && named !== undefined && writtenAsText.test(named)) return named;
  if (detected) return detected.mime;
  if (isText(head)) return named !== undefined && writtenAsText.test(named) ? named : 'text/plain';
  return named !== undefined && !writtenAsText.test(named) ? named : 'application/octet-stream';
}

/** Walks the boxes of an ISO media file to `ftyp`, which other boxes may precede. */
function isHeic(head: Uint8Array): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const ascii = (at: number) => String.fromCharCode(...head.subarray(at, at + 4));
  for (let at = 0; at + 12 <= head.length; ) {
    const isLong = view.getUint32(at) === 1 && at + 16 <= head.length;
    const size = isLong ? Number(view.getBigUint64(at + 8)) : view.getUint32(at);
    const type = ascii(at + 4);
    if (type === 'ftyp') {
      const brands: string[] = [];
      for (let brand = at + (isLong ? 16 : 8); brand + 4 <= Math.min(at + size, head.length); brand += 4)
        brands.push(ascii(brand));
      if (brands.some((brand) => heicBrands.has(brand))) return true;
      return brands.some((brand) => heifBrands.has(brand)) && !brands.some((brand) => /^avi[fs]$/.test(brand));
    }
    if (!/^(free|skip|wide|uuid|pnot|junk)$/.test(type) || size < 8) return false;
    at += size;
  }
  return false;
}

function isUtf16(head: Uint8Array): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

function isText(head: Uint8Array): boolean {
  if (head.length === 0 || head.includes(0)) return false;
  try {
    // A character that is cut off at the end of the head is not an error.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Returns how text is extracted from files of this media type; undefined when it is not. */
export function textKindOf(contentType: string): 'text' | 'markup' | 'pdf' | undefined {
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase();
  if (type === 'application/pdf') return 'pdf';
  if (/^(?:text|application)\/(?:html|xml)$|\+xml$/.test(type)) return 'markup';
  if (/^text\/|^application\/(?:json|yaml|toml|.*\+json)$/.test(type)) return 'text';
  return undefined;
}

/** True when text is extracted from files of this media type. */
export function mayHoldText(contentType: string): boolean {
  return textKindOf(contentType) !== undefined;
}
