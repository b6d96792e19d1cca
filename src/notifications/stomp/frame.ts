/** Frames of STOMP 1.0 to 1.2, read from bytes that arrive in any pieces, and written. */

export type StompVersion = '1.0' | '1.1' | '1.2';

export interface Frame {
  readonly command: string;
  /** Of a header that is repeated, the first counts. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** What a client sent is no STOMP, or more than is taken. The message is for people. */
export class StompError extends Error {
  override readonly name = 'StompError';
}

export const frameLimits = { bytes: 65_536, headBytes: 16_384, headers: 64 } as const;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const nul = 0x00;

/** What has been read of the frame that is arriving. */
interface Head {
  readonly command: string;
  readonly headers: Map<string, string>;
  /** Where the body begins. */
  readonly end: number;
  /** Undefined: the body ends at the first NUL. */
  readonly bodyBytes: number | undefined;
}

export class FrameReader {
  /** Of the frames that come next; it says how headers are escaped. */
  version: StompVersion = '1.0';
  private bytes = Buffer.alloc(0);
  /** Where what was not taken yet begins and ends. */
  private start = 0;
  private end = 0;
  /** Up to here it was looked at; nothing is looked at twice, however small the pieces. */
  private scanned = 0;
  private lineStart = 0;
  private lines: string[] = [];
  private head: Head | undefined;

  constructor(private readonly maxBytes: number = frameLimits.bytes) {}

  /** Whether a frame has begun and not ended. */
  get isInside(): boolean {
    return this.lines.length > 0 || this.head !== undefined || this.end > this.lineStart;
  }

  /** How much waits to be taken. */
  get pendingBytes(): number {
    return this.end - this.start;
  }

  push(chunk: Uint8Array): void {
    this.makeRoom(chunk.length);
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  /**
   * The next whole frame; undefined until more has arrived.
   * @throws StompError after which nothing more can be read
   */
  next(): Frame | undefined {
    this.head ??= this.readHead();
    const frame = this.head && this.readBody(this.head);
    // A frame that is not whole yet is as large as what has arrived of it.
    if (!frame && this.pendingBytes > this.maxBytes) throw this.tooLarge();
    return frame;
  }

  private readHead(): Head | undefined {
    for (; this.scanned < this.end; this.scanned += 1) {
      const byte = this.bytes[this.scanned];
      if (byte === nul) throw new StompError('A frame ends before the empty line that follows its headers.');
      if (byte !== lineFeed) continue;
      const line = this.takeLine();
      if (line !== '') this.lines.push(line);
      else if (this.lines.length === 0)
        this.start = this.lineStart; // between frames: a heart-beat
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
      throw new StompError(`A frame has more than ${frameLimits.headers} headers.`);
    }
    if (this.scanned - this.start > frameLimits.headBytes) {
      throw new StompError(`The headers of a frame are longer than ${frameLimits.headBytes} bytes.`);
    }
  }

  private parseHead(): Head {
    this.scanned += 1;
    const [command = '', ...lines] = this.lines;
    // These two are read before the version is known.
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
      throw new StompError('The content-length is not a number of bytes.');
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
      if (this.bytes[at] !== nul) throw new StompError('There is no NUL where the content-length says the body ends.');
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
    return new StompError(`A frame is larger than ${this.maxBytes} bytes.`);
  }

  /** A client that sent one large frame holds no memory for it until its next. */
  private release(): void {
    this.bytes = Buffer.alloc(0);
    this.start = this.end = this.scanned = this.lineStart = 0;
  }

  private makeRoom(more: number): void {
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

/** A frame as it is sent, in pieces that clients may share. */
export type FramePieces = readonly Uint8Array[];

/** The bytes of a frame with its NUL. A body that is there is announced with its length. */
export function encodeFrame(
  command: string,
  headers: Iterable<readonly [name: string, value: string]>,
  body: Uint8Array,
  version: StompVersion,
): FramePieces {
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
  // There is no way to write a line feed.
  return text.replaceAll('\n', ' ');
}

function unescapeHeader(text: string, version: StompVersion | undefined): string {
  if (version === undefined) return text;
  if (version === '1.0') return text.trim();
  return text.replace(/\\.?/gs, (escaped) => {
    const meaning = meanings.get(escaped);
    if (meaning === undefined || (meaning === '\r' && version === '1.1')) {
      throw new StompError(`A header has the escape ${JSON.stringify(escaped)}, which STOMP ${version} does not have.`);
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
