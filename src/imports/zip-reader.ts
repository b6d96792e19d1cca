import { pipeline, type Readable, Transform } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, open, type ZipFile } from 'yauzl';
import { Fault, quoted } from '../kernel/fault.js';
import { inBytes } from '../kernel/limit.js';

const maxNames = 2_000_000;
const [stored, deflated] = [0, 8];
/** Size of a piece in bytes; each piece costs turns of the event loop. */
const pieceSize = 131_072;
/** Maximum compression ratio; a higher one means that someone wants to fill the disk. */
const maxRatio = 100;
const alwaysAllowedBytes = 1_073_741_824;
/** Type of a file in the attributes that Unix systems add. */
const [typeMask, symbolicLink] = [0xf000, 0xa000];

/** The files of an archive, found by their names. Nothing is unpacked to the disk. */
export class ZipReader {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /**
   * Reads the list of files. Refuses names that lead out of the archive, and two files with the same name.
   * @throws Fault invalid `import.source-invalid`
   * @throws the reason of `signal` when it aborts
   */
  static async open(file: string, signal?: AbortSignal): Promise<ZipReader> {
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      open(file, { lazyEntries: true, autoClose: false }, (error, opened) =>
        error ? reject(invalid(file, error)) : resolve(opened),
      );
    });
    try {
      if (zip.entryCount > maxNames) throw new Error(`it has ${zip.entryCount} files, more than ${maxNames}`);
      const entries = await readEntries(zip, signal);
      refuseBomb(zip, entries);
      return new ZipReader(zip, entries);
    } catch (error) {
      zip.close();
      signal?.throwIfAborted();
      throw invalid(file, error);
    }
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  names(): Iterable<string> {
    return this.entries.keys();
  }

  /** Returns a string that differs if the content of a file differs. */
  fingerprint(name: string): string {
    const entry = this.entries.get(name);
    return entry ? `${entry.uncompressedSize} ${entry.crc32}` : '';
  }

  /** Returns the reason why a file cannot be read; undefined if the list of files shows none. */
  findObstacle(name: string): string | undefined {
    const entry = this.entries.get(name);
    if (!entry) return 'is not in the archive';
    if (entry.isEncrypted()) return 'is encrypted';
    if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) {
      return 'is compressed by an unusual method';
    }
    return ((entry.externalFileAttributes >>> 16) & typeMask) === symbolicLink
      ? 'is a link to another file'
      : undefined;
  }

  /** Opens a file; undefined when there is none. The stream fails at its end when the checksum is wrong. */
  async find(name: string): Promise<Readable | undefined> {
    const entry = this.entries.get(name);
    if (!entry) return undefined;
    const obstacle = this.findObstacle(name);
    if (obstacle !== undefined) throw invalid(name, new Error(`it ${obstacle}`));
    const raw = await new Promise<Readable>((resolve, reject) => {
      this.zip.openReadStream(entry, { decodeFileData: false }, (error, stream) =>
        error ? reject(invalid(name, error)) : resolve(stream),
      );
    });
    // The reader of the last stream gets the errors of all streams.
    const ignore = () => undefined;
    if (entry.compressionMethod === stored) return pipeline(raw, checked(entry), ignore);
    return pipeline(raw, createInflateRaw({ chunkSize: pieceSize }), checked(entry), ignore);
  }

  close(): void {
    this.zip.close();
  }
}

function readEntries(zip: ZipFile, signal: AbortSignal | undefined): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  return new Promise((resolve, reject) => {
    zip.on('error', reject);
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      const name = entry.fileName.replace(/\/{2,}/g, '/').replace(/^([.]\/)+/, '');
      if (signal?.aborted) return reject(signal.reason as Error);
      if (entries.has(name)) return reject(new Error(`it has ${quoted(name)} twice`));
      if (!name.endsWith('/')) entries.set(name, entry);
      return zip.readEntry();
    });
    zip.readEntry();
  });
}

/** Refuses archives whose files share bytes or unpack to far more, because a small archive could fill the disk. */
function refuseBomb(zip: ZipFile, entries: ReadonlyMap<string, Entry>): void {
  let [packed, unpacked] = [0, 0];
  for (const { compressedSize, uncompressedSize } of entries.values()) {
    packed += compressedSize;
    unpacked += uncompressedSize;
  }
  if (packed > zip.fileSize) throw new Error('its files overlap');
  if (unpacked <= Math.max(alwaysAllowedBytes, maxRatio * zip.fileSize)) return;
  throw new Error(
    `it unpacks to ${inBytes(unpacked)}, more than ${maxRatio} times its size. If you trust it, pack it again without compression`,
  );
}

/** Passes content through, and fails at its end when its size or checksum is wrong. */
function checked({ fileName, uncompressedSize, crc32: expected }: Entry): Transform {
  let [size, checksum] = [0, 0];
  return new Transform({
    readableHighWaterMark: 2 * pieceSize,
    transform(piece: Buffer, _encoding, done) {
      size += piece.length;
      checksum = crc32(piece, checksum);
      if (size > uncompressedSize) done(new Error(`${quoted(fileName)} is larger than it says`));
      else done(null, piece);
    },
    flush(done) {
      const isIntact = size === uncompressedSize && checksum === expected;
      done(isIntact ? null : new Error(`${quoted(fileName)} has a wrong size or checksum`));
    },
  });
}

function invalid(file: string, cause: unknown): Fault {
  return new Fault(
    'invalid',
    'import.source-invalid',
    `${quoted(file, 200)} cannot be read as a zip: ${(cause as Error).message.replace(/[.]?$/, '.')}`,
    { cause },
  );
}
