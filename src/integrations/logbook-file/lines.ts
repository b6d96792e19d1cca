import { Fault } from '../../kernel/fault.js';
import type { ZipReader } from './zip-reader.js';

/** In bytes; an entry with all of its versions is one line. */
const maxLineBytes = 268_435_456;
const lineFeed = 0x0a;

interface HowToRead {
  /** How many lines are passed over. */
  readonly skipped?: number;
  /** The whole file is one value. */
  readonly isWhole?: boolean;
}

export interface Line {
  readonly value: unknown;
  readonly bytes: Buffer;
}

/**
 * Yields the JSON value of each line of a file in an archive; none when there is no such file.
 * @throws Fault invalid `import.source-invalid`
 */
export async function* linesOf(
  zip: ZipReader,
  name: string,
  { skipped = 0, isWhole = false }: HowToRead = {},
): AsyncGenerator<Line> {
  const content = await zip.find(name);
  if (!content) return;
  let line = 0;
  let size = 0;
  let parts: Buffer[] = [];
  const take = () => {
    const bytes = Buffer.concat(parts);
    [parts, size] = [[], 0];
    line += 1;
    return line <= skipped || bytes.length === 0
      ? undefined
      : { value: parse(bytes, `line ${line} of ${name}`), bytes };
  };
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = isWhole ? -1 : chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
        parts.push(chunk.subarray(from, end));
        from = end + 1;
        const taken = take();
        if (taken) yield taken;
      }
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > maxLineBytes) throw invalid(`line ${line + 1} of ${name} has more than ${maxLineBytes} bytes`);
    }
  } finally {
    content.destroy();
  }
  const last = take();
  if (last) yield last;
}

function parse(bytes: Buffer, place: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw invalid(`${place} is not JSON (${(error as Error).message})`);
  }
}

function invalid(reason: string): Fault {
  return new Fault('invalid', 'import.source-invalid', `The export cannot be read: ${reason}.`);
}
