/**
 * How many bytes a search engine leaves on each side of the JSON array of a page, in the same buffer. What the interface
 * puts around the array is written there, so that a page is not copied once more.
 */
export const pageMargin = 64;

/**
 * Returns `before`, the array and `after` as one text in UTF-8. Overwrites the margins of the array, unless it is shared.
 * @param array a page with its margins around it, or without
 */
export function framePage(array: Uint8Array, before: string, after: string, isShared = false): Buffer {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  const { buffer, byteOffset, byteLength } = array;
  const hasMargins = byteOffset === pageMargin && buffer.byteLength === byteLength + 2 * pageMargin;
  if (isShared || !hasMargins || head.length > pageMargin || tail.length > pageMargin)
    return Buffer.concat([head, array, tail]);
  const all = Buffer.from(buffer);
  const start = pageMargin - head.length;
  head.copy(all, start);
  tail.copy(all, pageMargin + byteLength);
  return all.subarray(start, pageMargin + byteLength + tail.length);
}
