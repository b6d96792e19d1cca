import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type Entry, open, type ZipFile } from 'yauzl';
import { Fault, quoted } from '../../kernel/fault.js';

const maxNames = 10_000_000;

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
    return new Promise((resolve, reject) => {
      this.zip.openReadStream(entry, (error, stream) => (error ? reject(invalid(name, error)) : resolve(stream)));
    });
  }

  close(): void {
    this.zip.close();
  }
}

function invalid(file: string, cause: unknown): Fault {
  return new Fault(
    'invalid',
    'import.source-invalid',
    `${quoted(file, 200)} cannot be read as a zip: ${(cause as Error).message}.`,
    { cause },
  );
}
