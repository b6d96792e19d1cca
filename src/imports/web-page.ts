import type { ImportedAttachment } from './import-source.port.js';

/** How much of a file shows whether it is a web page. */
export const webPageHeadBytes = 1_024;

/** After a byte order mark, white space, comments and the declaration of XML. */
const beginning =
  /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head)[\s>]/i;

/**
 * Whether a source has sent a web page, such as that of a sign-in, in place of a file: it was sent as HTML and begins like
 * HTML, but neither its name nor its description says that it is that, and the source tells no other size or checksum.
 * @param size of what was received, in bytes
 */
export async function isWebPageInstead(
  { filename, fileMetadataDescription = '', checksum, size: expectedSize }: ImportedAttachment,
  mediaType: string | undefined,
  { head, size }: { readonly head: Uint8Array; readonly size: number },
): Promise<boolean> {
  if (checksum !== undefined || expectedSize === size) return false;
  if (!/^text\/html\b|^application\/xhtml\b/i.test(mediaType ?? '')) return false;
  // Loaded with the first file.
  const { default: mime } = await import('mime');
  const said = `${mime.getType(filename) ?? ''} ${filename} ${fileMetadataDescription}`;
  return (
    !/html|xml|\.(?:mht|eml|php|aspx?|jsp)\b/i.test(said) &&
    beginning.test(Buffer.from(head.subarray(0, webPageHeadBytes)).toString())
  );
}
