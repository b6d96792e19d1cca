import type { ImportedAttachment } from './import-source.port.js';

/** Number of bytes at the start of a file that show whether it is a web page. */
export const webPageHeadBytes = 1_024;

/** Start of a web page. A byte order mark, an XML declaration, white space and comments may precede it. */
const beginning =
  /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head)[\s>]/i;

/**
 * Returns whether a source has sent a web page, such as a sign-in page, instead of a file. This is assumed if it was
 * sent as HTML and begins like HTML, neither the name nor the description suggests HTML, and neither a checksum nor a
 * matching size shows that it is the file.
 * @param size size of the received content, in bytes
 */
export async function isWebPageInstead(
  { filename, fileMetadataDescription = '', checksum, size: expectedSize }: ImportedAttachment,
  mediaType: string | undefined,
  { head, size }: { readonly head: Uint8Array; readonly size: number },
): Promise<boolean> {
  if (checksum !== undefined || expectedSize === size) return false;
  if (!/^text\/html\b|^application\/xhtml\b/i.test(mediaType ?? '')) return false;
  // Loaded on first use.
  const { default: mime } = await import('mime');
  const said = `${mime.getType(filename) ?? ''} ${filename} ${fileMetadataDescription}`;
  return (
    !/html|xml|\.(?:mht|eml|php|aspx?|jsp)\b/i.test(said) &&
    beginning.test(Buffer.from(head.subarray(0, webPageHeadBytes)).toString())
  );
}
