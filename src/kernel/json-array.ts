/** Minimum size of the chunks into which short items are combined. */
const chunkBytes = 65_536;

/** Yields a JSON array in chunks. Each item is JSON in UTF-8; long items are yielded without copying. */
export async function* jsonArrayChunks(items: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let short: Uint8Array[] = [Buffer.from('[')];
  let bytes = 0;
  let isFirst = true;
  for await (const item of items) {
    if (!isFirst) short.push(Buffer.from(','));
    isFirst = false;
    const isLong = item.byteLength >= chunkBytes;
    if (!isLong) {
      short.push(item);
      bytes += item.byteLength;
      if (bytes < chunkBytes) continue;
    }
    if (short.length > 0) yield Buffer.concat(short);
    short = [];
    bytes = 0;
    if (isLong) yield item;
  }
  yield Buffer.concat([...short, Buffer.from(']')]);
}

/** Yields the JSON of each item in UTF-8. */
export async function* encodeEach(items: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const item of items) yield Buffer.from(JSON.stringify(item));
}
