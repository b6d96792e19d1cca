import { Fault } from '../kernel/fault.js';

/** Maximum number of values within one entry of a file, enough for 10,000 earlier versions. */
const maxValues = 2_000_000;
/** Maximum depth of values, because the parser and the readers of its result are recursive. */
const maxDepth = 100;
const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = [
  0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
];

/**
 * Counts the values of JSON byte by byte before it is parsed, because a few kilobytes in an archive can unpack to
 * values that fill the memory.
 */
export class JsonBounds {
  depth = 0;
  isInString = false;
  private isEscaped = false;
  private values = 0;

  /** @throws Fault invalid `import.source-invalid` when there are too many values, or they are nested too deeply */
  take(byte: number): void {
    if (this.isInString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === backslash) this.isEscaped = true;
      else if (byte === quote) this.isInString = false;
    } else if (byte === quote) this.isInString = true;
    else if (byte === comma) this.values += 1;
    else if (byte === openBrace || byte === openBracket) {
      this.depth += 1;
      this.values += 1;
    } else if (byte === closeBrace || byte === closeBracket) this.depth -= 1;
    if (this.values > maxValues) throw beyond(`more than ${maxValues} values`);
    if (this.depth > maxDepth) throw beyond(`values within ${maxDepth} others`);
  }

  /** Restarts the count for the next entry. */
  restart(): void {
    this.values = 0;
  }
}

/** @throws Fault invalid `import.source-invalid` when there are too many values, or they are nested too deeply */
export function checkJsonBounds(json: Buffer): void {
  const bounds = new JsonBounds();
  for (let at = 0; at < json.length; at++) bounds.take(json[at] as number);
}

function beyond(what: string): Fault {
  return new Fault('invalid', 'import.source-invalid', `An entry of the file cannot be read: it has ${what}.`);
}
