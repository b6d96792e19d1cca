import { checkJsonBounds } from '../../imports/json-bounds.js';
import type { ZipReader } from '../../imports/zip-reader.js';
import { Fault } from '../../kernel/fault.js';

/** Maximum length of a line in bytes. An entry with all its versions is one line. */
const maxLineBytes = 268_435_456;
const lineFeed = 0x0a;

interface HowToRead {
  readonly signal: AbortSignal;
  /** Number of lines to skip. */
  readonly skipped?: number;
  /** Whether the whole file is one value. */
  readonly isWhole?: boolean;
}

export interface Line {
  readonly value: unknown;
  readonly bytes: Buffer;
}

/** Yields the JSON value of each line of a file in an archive, see `linesOf`. */
export async function* valuesOf(zip: ZipReader, name: string, how: HowToRead): AsyncGenerator<unknown> {
  for await (const lines of linesOf(zip, name, how)) yield* lines.map(({ value }) => value);
}

/**
 * Yields the JSON values of the lines of a file in an archive, in one list for each chunk; nothing if there is no such
 * file.
 * @throws Fault invalid `import.source-invalid`
 */
export async function* linesOf(
  zip: ZipReader,
  name: string,
  { signal, skipped = 0, isWhole = false }: HowToRead,
): AsyncGenerator<Line[]> {
  const content = await zip.find(name);
  if (!content) return;
  let line = 0;
  let size = 0;
  let parts: Buffer[] = [];
  const take = (): Line[] => {
    const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    [parts, size] = [[], 0];
    line += 1;
    if (line <= skipped || bytes.length === 0) return [];
    return [{ value: parse(bytes, `line ${line} of ${name}`), bytes }];
  };
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      const lines: Line[] = [];
      let from = 0;
      for (let end = isWhole ? -1 : chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
        parts.push(chunk.subarray(from, end));
        from = end + 1;
        lines.push(...take());
      }
      if (lines.length > 0) yield lines;
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > maxLineBytes) throw invalid(`line ${line + 1} of ${name} has more than ${maxLineBytes} bytes`);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Fault ? error : invalid(`${name} is damaged (${(error as Error).message})`);
  } finally {
    content.destroy();
  }
  const last = take();
  if (last.length > 0) yield last;
}

function parse(bytes: Buffer, place: string): unknown {
  checkJsonBounds(bytes);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw invalid(`${place} is not JSON (${(error as Error).message})`);
  }
}

function invalid(reason: string): Fault {
  return new Fault('invalid', 'import.source-invalid', `The export cannot be read: ${reason}.`);
}
