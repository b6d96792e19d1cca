/**
 * Number of bytes that a search engine leaves free on each side of the JSON array of a page, in the same buffer. The
 * text around the array is written into them, so that the page need not be copied.
 */
export const pageMargin = 64;

/** Size above which the entries of a page are read while they are sent, so that no client occupies much memory. */
export const maxPageBytes = 1_048_576;

const [openBracket, closeBracket, comma, space] = [0x5b, 0x5d, 0x2c, 0x20];

/**
 * Returns `before`, the array and `after` as one text in UTF-8. The text is written into the margins of the array if
 * they are large enough and free, so that other responses with the same array stay unchanged.
 * @param array page, with or without margins around it
 */
export function framePage(array: Uint8Array, before: string, after: string): Buffer {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  const { buffer, byteOffset, byteLength } = array;
  const hasMargins = byteOffset === pageMargin && buffer.byteLength === byteLength + 2 * pageMargin;
  if (!hasMargins || head.length > pageMargin || tail.length > pageMargin) return Buffer.concat([head, array, tail]);
  const all = Buffer.from(buffer);
  const start = pageMargin - head.length;
  const end = pageMargin + byteLength;
  const isFramed =
    putOnce(all.subarray(0, pageMargin), head, start) && putOnce(all.subarray(end, end + pageMargin), tail, 0);
  return isFramed ? all.subarray(start, end + tail.length) : Buffer.concat([head, array, tail]);
}

/** Writes into a margin. Returns false if it already contains a different text. */
function putOnce(margin: Buffer, text: Buffer, start: number): boolean {
  if (text.equals(margin.subarray(start, start + text.length))) return true;
  if (margin.some((byte) => byte !== space)) return false;
  text.copy(margin, start);
  return true;
}

/** Joins documents with a total size of `bytes` as a JSON array, in a buffer with margins around it. */
export function joinPage(documents: readonly Uint8Array[], bytes: number): Uint8Array {
  const length = 2 + bytes + Math.max(0, documents.length - 1);
  // Every byte of the buffer is written below.
  const all = new Uint8Array(Buffer.allocUnsafeSlow(length + 2 * pageMargin).buffer);
  all.fill(space, 0, pageMargin);
  all.fill(space, pageMargin + length);
  let at = pageMargin;
  all[at++] = openBracket;
  for (const [index, document] of documents.entries()) {
    if (index > 0) all[at++] = comma;
    all.set(document, at);
    at += document.byteLength;
  }
  all[at] = closeBracket;
  return all.subarray(pageMargin, pageMargin + length);
}
