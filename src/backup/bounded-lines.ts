import type { Readable } from 'node:stream';

const lineEnd = 10;

/**
 * Yields the lines of a text in UTF-8 without `\n`, the only line end. A line is cut after `maxBytes`, so that a text
 * without line ends does not fill the memory.
 */
export async function* boundedLines(content: Readable, maxBytes: number): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    const kept = part.subarray(0, maxBytes - length);
    if (kept.length > 0) parts.push(kept);
    length += kept.length;
  };
  const take = () => {
    const line = Buffer.concat(parts, length).toString('utf8');
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of content as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, from)) {
      add(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield take();
}
