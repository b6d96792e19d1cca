import { Fault, quoted } from '../kernel/fault.js';
import { detectEncoding } from './detect-encoding.js';
import { heifKindOf } from './heif.js';

/** Types whose files are text. Their contents look alike, so the file name decides between them. */
const writtenAsText = /^text\/|^image\/svg\+xml$|^application\/(?:json|xml|yaml|toml|.*\+(?:json|xml))$/;
/**
 * Types that are recognised by only two or three bytes. A text may begin with the same bytes, such as a table whose
 * first column is BM1, or a text in Latin-1 that begins with ÿ.
 */
const recognizedByLittle =
  /^(?:image\/bmp|audio\/.*|video\/x-flv|application\/(?:x-msdownload|x-shockwave-flash|x-bzip2|x-compress|x-apple-diskimage))$/;

/** Types that a text file can have. Any other type that is detected for a file named as text is a mistake. */
const marksText = /^text\/|^model\/|^application\/(?:pdf|postscript|eps|rtf|pgp-encrypted|.*xml)$/;

/**
 * Detects the media type of a file from its first bytes or, where they are inconclusive, from its name.
 * @throws Fault invalid `attachment.heic` for an HEIC or HEIF image, which browsers cannot show
 */
export async function detectMediaType(head: Uint8Array, filename: string): Promise<string> {
  // Loaded with the first upload, because the tables take memory and many installations have no uploads.
  const [{ fileTypeFromBuffer }, { default: mime }] = await Promise.all([import('file-type'), import('mime')]);
  const named = mime.getType(filename) ?? undefined;
  const isNamedText = named !== undefined && writtenAsText.test(named);
  const heif = heifKindOf(head);
  if (heif === 'avif') return 'image/avif';
  const detected = (await fileTypeFromBuffer(head))?.mime;
  if (heif === 'heic' || /^image\/hei[cf]/.test(detected ?? '')) {
    throw new Fault(
      'invalid',
      'attachment.heic',
      `${quoted(filename)} is a HEIC/HEIF image, which browsers cannot show. Convert it to JPEG or PNG first.`,
    );
  }
  const isText = detectEncoding(head, isNamedText) !== undefined || (head.length === 0 && isNamedText);
  const text = isNamedText ? named : 'text/plain';
  if (detected === 'application/xml') return isNamedText ? named : detected;
  const isMistaken =
    isText && (isNamedText ? !marksText.test(detected ?? '') : recognizedByLittle.test(detected ?? ''));
  if (isText && (detected === undefined || isMistaken)) return text;
  // A text in an unsupported encoding, such as UTF-32 with a byte order mark, may begin like a sound file.
  if (isNamedText && /^audio\//.test(detected ?? '')) return 'application/octet-stream';
  if (detected !== undefined) return detected;
  return named !== undefined && !isNamedText ? named : 'application/octet-stream';
}

/** Returns the method of extracting text from files of this media type; undefined when no text is extracted. */
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
