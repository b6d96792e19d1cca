import type { SourceAttachment } from './import-source.port.js';

/** How much of a file shows whether it is a web page. */
export const webPageHeadBytes = 1_024;

/** After a byte order mark, white space, comments and the declaration of XML. */
const beginning = /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head)[\s>]/i;

/**
 * Whether a source has sent a web page, such as that of a sign-in, in place of a file: it was sent as HTML and begins like
 * HTML, but neither its name nor its description says that it is that.
 */
export async function isWebPageInstead(
  { filename, fileMetadataDescription = '', checksum }: SourceAttachment,
  mediaType: string | undefined,
  head: Uint8Array,
): Promise<boolean> {
  if (checksum !== undefined || !/^text\/html\b|^application\/xhtml\b/i.test(mediaType ?? '')) return false;
  // Loaded with the first file.
  const { default: mime } = await import('mime');
  const said = `${mime.getType(filename) ?? ''} ${fileMetadataDescription}`;
  return !/html|xml/i.test(said) && beginning.test(Buffer.from(head.subarray(0, webPageHeadBytes)).toString());
}
