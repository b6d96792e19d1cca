import { once } from 'node:events';
import { pipeline, type Readable, Transform } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, open, type ZipFile } from 'yauzl';
import { Fault, quoted } from '../kernel/fault.js';

const maxNames = 10_000_000;
const [stored, deflated] = [0, 8];
/** In bytes: each piece costs turns of the event loop. */
const pieceSize = 131_072;

/** The files of an archive, found by their names. Nothing is unpacked to the disk. */
export class ZipReader {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /**
   * @param isWanted which names are kept
   * @throws Fault invalid `import.source-invalid`
   */
  static async open(file: string, isWanted: (name: string) => boolean): Promise<ZipReader> {
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      open(file, { lazyEntries: true, autoClose: false }, (error, opened) =>
        error ? reject(invalid(file, error)) : resolve(opened),
      );
    });
    const entries = new Map<string, Entry>();
    if (zip.entryCount > maxNames) throw invalid(file, new Error(`it has ${zip.entryCount} files`));
    zip.on('entry', (entry: Entry) => {
      if (isWanted(entry.fileName)) entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    const ended = once(zip, 'end');
    zip.readEntry();
    try {
      await ended;
    } catch (error) {
      zip.close();
      throw invalid(file, error);
    }
    return new ZipReader(zip, entries);
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** Opens a file from its beginning; undefined when there is none. The stream fails when its checksum is wrong. */
  async find(name: string): Promise<Readable | undefined> {
    const entry = this.entries.get(name);
    if (!entry) return undefined;
    const raw = await new Promise<Readable>((resolve, reject) => {
      this.zip.openReadStream(entry, { decodeFileData: false }, (error, stream) =>
        error ? reject(invalid(name, error)) : resolve(stream),
      );
    });
    const { compressionMethod } = entry;
    if (entry.isEncrypted() || (compressionMethod !== stored && compressionMethod !== deflated)) {
      raw.destroy();
      throw invalid(name, new Error('it is encrypted, or compressed in another way than usual'));
    }
    // The one who reads the last stream gets the error of each.
    const ignore = () => undefined;
    if (compressionMethod === stored) return pipeline(raw, checked(entry), ignore);
    return pipeline(raw, createInflateRaw({ chunkSize: pieceSize }), checked(entry), ignore);
  }

  close(): void {
    this.zip.close();
  }
}

/** Passes a content on, and fails at its end when it is not the one that was written. */
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
      done(isIntact ? null : new Error(`${quoted(fileName)} does not have its checksum`));
    },
  });
}

function invalid(file: string, cause: unknown): Fault {
  return new Fault(
    'invalid',
    'import.source-invalid',
    `${quoted(file, 200)} cannot be read as a zip: ${(cause as Error).message}.`,
    { cause },
  );
}
