import { inKilobytes, limitError, StompError } from './stomp-error.js';

/** Frames of STOMP 1.0 to 1.2. */

export type StompVersion = '1.0' | '1.1' | '1.2';

export interface Frame {
  readonly command: string;
  /** Headers by name, with the first value of a repeated header. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Maximum sizes of a frame and of its command with headers, in bytes, and maximum number of headers. */
export const frameLimits = { bytes: 65_536, headBytes: 16_384, headers: 64 } as const;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const nul = 0x00;

/** Command and headers of a frame whose body is still arriving. */
interface Head {
  readonly command: string;
  readonly headers: Map<string, string>;
  /** Offset of the body. */
  readonly end: number;
  /** Undefined when the body ends at the first NUL. */
  readonly bodyBytes: number | undefined;
}

/** Reads frames from bytes that arrive in chunks of any size. */
export class FrameReader {
  /** Version of the following frames, which determines how their headers are escaped. */
  version: StompVersion = '1.0';
  private bytes = Buffer.alloc(0);
  /** Bounds of the bytes that are not consumed yet. */
  private start = 0;
  private end = 0;
  /** Position up to which bytes are scanned. No byte is scanned twice, however small the chunks are. */
  private scanned = 0;
  private lineStart = 0;
  private lines: string[] = [];
  private head: Head | undefined;

  constructor(private readonly maxBytes: number = frameLimits.bytes) {}

  /** Whether a frame is incomplete. */
  get isInside(): boolean {
    return this.lines.length > 0 || this.head !== undefined || this.end > this.lineStart;
  }

  /** Number of bytes that are not consumed yet. */
  get pendingBytes(): number {
    return this.end - this.start;
  }

  push(chunk: Uint8Array): void {
    this.reserve(chunk.length);
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  /**
   * Returns the next complete frame; undefined until more bytes arrive.
   * @throws StompError after which the reader cannot be used again
   */
  next(): Frame | undefined {
    this.head ??= this.readHead();
    const frame = this.head && this.readBody(this.head);
    // The received bytes of an incomplete frame also count.
    if (!frame && this.pendingBytes > this.maxBytes) throw this.tooLarge();
    return frame;
  }

  private readHead(): Head | undefined {
    for (; this.scanned < this.end; this.scanned += 1) {
      const byte = this.bytes[this.scanned];
      if (byte === nul) throw new StompError('A frame has no empty line after its headers.');
      if (byte !== lineFeed) continue;
      const line = this.takeLine();
      if (line !== '') this.lines.push(line);
      else if (this.lines.length === 0)
        this.start = this.lineStart; // a heart-beat between frames
      else return this.parseHead();
      this.checkHeadSize();
    }
    this.checkHeadSize();
    return undefined;
  }

  private takeLine(): string {
    const endsInReturn = this.scanned > this.lineStart && this.bytes[this.scanned - 1] === carriageReturn;
    const line = decodeUtf8(this.bytes.subarray(this.lineStart, this.scanned - (endsInReturn ? 1 : 0)));
    this.lineStart = this.scanned + 1;
    return line;
  }

  private checkHeadSize(): void {
    if (this.lines.length > frameLimits.headers + 1) {
      throw limitError('A frame has too many headers.', String(frameLimits.headers), 'each frame');
    }
    if (this.scanned - this.start > frameLimits.headBytes) {
      throw limitError('The headers of a frame are too long.', inKilobytes(frameLimits.headBytes), 'each frame');
    }
  }

  private parseHead(): Head {
    this.scanned += 1;
    const [command = '', ...lines] = this.lines;
    // CONNECT and CONNECTED precede the negotiation of the version.
    const version = command === 'CONNECT' || command === 'CONNECTED' ? undefined : this.version;
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      if (colon < 0) throw new StompError('A header has no colon.');
      const name = unescapeHeader(line.slice(0, colon), version);
      if (!headers.has(name)) headers.set(name, unescapeHeader(line.slice(colon + 1), version));
    }
    const length = headers.get('content-length')?.trim();
    if (length !== undefined && !/^\d{1,9}$/.test(length)) {
      throw new StompError('The content-length header is not a number of bytes.');
    }
    const bodyBytes = length === undefined ? undefined : Number(length);
    if (this.scanned - this.start + (bodyBytes ?? 0) > this.maxBytes) throw this.tooLarge();
    return { command, headers, end: this.scanned, bodyBytes };
  }

  private readBody({ command, headers, end, bodyBytes }: Head): Frame | undefined {
    let at: number;
    if (bodyBytes === undefined) {
      at = this.bytes.subarray(0, this.end).indexOf(nul, this.scanned);
      if (at < 0) {
        this.scanned = this.end;
        return undefined;
      }
    } else {
      at = end + bodyBytes;
      if (at >= this.end) return undefined;
      if (this.bytes[at] !== nul) throw new StompError('The body does not end with NUL after content-length bytes.');
    }
    if (at - this.start > this.maxBytes) throw this.tooLarge();
    const body = Uint8Array.prototype.slice.call(this.bytes, end, at);
    this.head = undefined;
    this.lines = [];
    this.start = this.scanned = this.lineStart = at + 1;
    if (this.start === this.end) this.release();
    return { command, headers, body };
  }

  private tooLarge(): StompError {
    return limitError('A frame is too large.', inKilobytes(this.maxBytes), 'each frame');
  }

  /** Frees the buffer, so that a client that has sent a large frame does not keep occupying its memory. */
  private release(): void {
    this.bytes = Buffer.alloc(0);
    this.start = this.end = this.scanned = this.lineStart = 0;
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const held = this.end - this.start;
    const larger = held + more <= this.bytes.length ? this.bytes : Buffer.alloc(Math.max(1_024, 2 * held, held + more));
    this.bytes.copy(larger, 0, this.start, this.end);
    this.bytes = larger;
    this.end = held;
    this.scanned -= this.start;
    this.lineStart -= this.start;
    if (this.head) this.head = { ...this.head, end: this.head.end - this.start };
    this.start = 0;
  }
}

/** An encoded frame, in fragments that clients may share. */
export type StompFragments = readonly Uint8Array[];

/** Encodes a frame with its NUL. Adds a content-length header unless the body is empty. */
export function encodeFrame(
  command: string,
  headers: Iterable<readonly [name: string, value: string]>,
  body: Uint8Array,
  version: StompVersion,
): StompFragments {
  const escaping = command === 'CONNECT' || command === 'CONNECTED' ? undefined : version;
  let head = `${command}\n`;
  for (const [name, value] of headers) head += `${escapeHeader(name, escaping)}:${escapeHeader(value, escaping)}\n`;
  head += body.length === 0 ? '\n' : `content-length:${body.length}\n\n`;
  return [Buffer.from(head), body, Buffer.of(nul)];
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', ':': '\\c', '\r': '\\r' };
const meanings = new Map(Object.entries(escapes).map(([plain, escaped]) => [escaped, plain]));

export function escapeHeader(text: string, version: StompVersion | undefined): string {
  if (version === '1.2') return text.replace(/[\\\n:\r]/g, (found) => escapes[found] ?? found);
  if (version === '1.1') return text.replace(/[\\\n:]/g, (found) => escapes[found] ?? found);
  // STOMP 1.0 cannot represent a line feed.
  return text.replaceAll('\n', ' ');
}

function unescapeHeader(text: string, version: StompVersion | undefined): string {
  if (version === undefined) return text;
  if (version === '1.0') return text.trim();
  return text.replace(/\\.?/gs, (escaped) => {
    const meaning = meanings.get(escaped);
    if (meaning === undefined || (meaning === '\r' && version === '1.1')) {
      throw new StompError(
        `A header contains ${JSON.stringify(escaped)}, which is not an escape sequence of STOMP ${version}.`,
      );
    }
    return meaning;
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws StompError */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new StompError('A frame is not UTF-8.');
  }
}
