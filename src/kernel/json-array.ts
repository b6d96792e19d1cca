/** As many bytes of short items come together. */
const pieceBytes = 65_536;

/** A JSON array of items, each JSON in UTF-8, piece by piece. */
export async function* jsonArrayChunks(items: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let short: Uint8Array[] = [Buffer.from('[')];
  let bytes = 0;
  let isFirst = true;
  for await (const item of items) {
    if (!isFirst) short.push(Buffer.from(','));
    isFirst = false;
    const isLong = item.byteLength >= pieceBytes;
    if (!isLong) {
      short.push(item);
      bytes += item.byteLength;
      if (bytes < pieceBytes) continue;
    }
    if (short.length > 0) yield Buffer.concat(short);
    short = [];
    bytes = 0;
    // Without a copy.
    if (isLong) yield item;
  }
  yield Buffer.concat([...short, Buffer.from(']')]);
}
