/** A value in JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

const maxDepth = 20;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads JSON that has only one interpretation: no key occurs twice, and each number is a whole number in its shortest
 * form, without an exponent. Belongs to the checker of proofs, which shares no code with their writer.
 * @throws SyntaxError
 */
export function parseUnambiguous(text: string): Json {
  const parser = new Parser(text);
  const value = parser.readValue(1);
  parser.expectEnd();
  return value;
}

/** Encodes a value in canonical JSON (RFC 8785), for objects whose keys are in ASCII. */
export function encodeCanonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(encodeCanonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${encodeCanonical(member)}`).join(',')}}`;
}

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  readValue(depth: number): Json {
    if (depth > maxDepth) throw new SyntaxError('nested too deeply');
    this.skipBlanks();
    const next = this.text[this.at];
    if (next === '{') return this.readObject(depth);
    if (next === '[') return this.readList(depth);
    if (next === '"') return this.readText();
    const [word = ''] = this.match(/true|false|null|-?\d+/y);
    if (word === 'true' || word === 'false') return word === 'true';
    return word === 'null' ? null : this.readNumber(word);
  }

  expectEnd(): void {
    this.skipBlanks();
    if (this.at < this.text.length) throw new SyntaxError('something follows');
  }

  private readNumber(word: string): number {
    const number = Number(word);
    // A fraction or an exponent may follow.
    const isWhole = Number.isSafeInteger(number) && String(number) === word && !/[.eE]/.test(this.text[this.at] ?? '');
    if (!isWhole) throw new SyntaxError('not a whole number in its shortest form');
    return number;
  }

  private readObject(depth: number): JsonObject {
    const members = new Map<string, Json>();
    this.readItems('}', () => {
      const key = this.readText();
      this.skipBlanks();
      this.match(/:/y);
      if (members.has(key)) throw new SyntaxError('a key occurs twice');
      members.set(key, this.readValue(depth + 1));
    });
    return Object.fromEntries(members);
  }

  private readList(depth: number): readonly Json[] {
    const items: Json[] = [];
    this.readItems(']', () => items.push(this.readValue(depth + 1)));
    return items;
  }

  private readItems(end: '}' | ']', readItem: () => void): void {
    this.at += 1;
    this.skipBlanks();
    if (this.text[this.at] === end) {
      this.at += 1;
      return;
    }
    for (;;) {
      this.skipBlanks();
      readItem();
      this.skipBlanks();
      const [separator] = this.match(/[,\]}]/y);
      if (separator === end) return;
      if (separator !== ',') throw new SyntaxError('a wrong bracket');
    }
  }

  private readText(): string {
    this.match(/"/y);
    const parts: string[] = [];
    for (;;) {
      const [part] = this.match(/[^"\\\u0000-\u001f]*/y);
      const [mark] = this.match(/["\\]/y);
      parts.push(part);
      if (mark === '"') return parts.join('');
      const [escaped] = this.match(/["\\/bfnrt]|u[0-9a-fA-F]{4}/y);
      parts.push(escapes[escaped] ?? String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));
    }
  }

  private skipBlanks(): void {
    this.match(/[ \t\n\r]*/y);
  }

  private match(pattern: RegExp): readonly [string] {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) throw new SyntaxError(`unexpected at ${this.at}`);
    this.at = pattern.lastIndex;
    return [found[0]];
  }
}
