import { open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Fault, quoted } from '../../kernel/fault.js';
import { type ElogEntry, headerOf, listPlaces, type Place, parseElogEntry } from './elog-entry.js';

/** An entry in the folder of an ELOG, without its text. */
export interface ElogPlace extends Place {
  readonly logbook: string;
  /** The folder with the file of the entry and with its attachments. */
  readonly dir: string;
  readonly file: string;
  /** The state of the file when it was scanned. */
  readonly fileState: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** The id of the entry that this one answers, in the same logbook; undefined for none. */
  readonly parent: number | undefined;
}

const maxFileBytes = 268_435_456;
const maxDepth = 3;

/**
 * Lists all entries of an ELOG in the order of their dates.
 * @param onEntry called with each entry
 * @throws Fault invalid `import.source-invalid` when the folder has no logbooks
 */
export async function scanElog(
  dir: string,
  onEntry: (place: ElogPlace, entry: ElogEntry) => void,
  signal: AbortSignal,
): Promise<ElogPlace[]> {
  const root = await findLogbooks(dir);
  const places: ElogPlace[] = [];
  for (const { name } of (await readdir(root, { withFileTypes: true })).filter((one) => one.isDirectory())) {
    for await (const file of listLogFiles(join(root, name), 0)) {
      signal.throwIfAborted();
      for (const [place, entry] of await readLogFile(name, file)) {
        places.push(place);
        onEntry(place, entry);
      }
    }
  }
  if (places.length === 0) {
    throw new Fault('invalid', 'import.source-invalid', `${quoted(dir, 200)} has no entries of an ELOG (….log files).`);
  }
  return places.sort((one, other) => one.createdMs - other.createdMs || one.id - other.id);
}

async function findLogbooks(dir: string): Promise<string> {
  const below = join(dir, 'logbooks');
  const found = await stat(below).catch(() => undefined);
  return found?.isDirectory() ? below : dir;
}

interface LogFile {
  readonly dir: string;
  readonly name: string;
}

/** Newer versions have a folder for each year. */
async function* listLogFiles(dir: string, depth: number): AsyncGenerator<LogFile> {
  for (const found of (await readdir(dir, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (found.isDirectory() && depth < maxDepth) yield* listLogFiles(join(dir, found.name), depth + 1);
    else if (found.isFile() && /^\d{6}a?[.]log$/.test(found.name)) yield { dir, name: found.name };
  }
}

async function readLogFile(logbook: string, { dir, name }: LogFile): Promise<[ElogPlace, ElogEntry][]> {
  const file = join(dir, name);
  const { size, mtimeMs } = await stat(file);
  if (size > maxFileBytes) {
    throw new Fault('invalid', 'import.source-invalid', `${file} has more than ${maxFileBytes} bytes.`);
  }
  const content = await readFile(file);
  return listPlaces(content).map((place) => {
    const entry = parseElogEntry(place.id, content.subarray(place.start, place.end));
    const parent = Number(headerOf(entry, 'in reply to'));
    const createdMs = createdAt(entry, name);
    return [
      {
        ...place,
        logbook,
        dir,
        file,
        fileState: stateOf({ size, mtimeMs }),
        createdMs,
        parent: parent > 0 ? parent : undefined,
      },
      entry,
    ];
  });
}

/** A date that cannot be read is that of the file. */
function createdAt(entry: ElogEntry, fileName: string): number {
  const ms = Date.parse(headerOf(entry, 'date'));
  if (!Number.isNaN(ms)) return ms;
  const [, year = '70', month = '01', day = '01'] = /^(\d\d)(\d\d)(\d\d)/.exec(fileName) ?? [];
  const century = Number(year) >= 70 ? '19' : '20';
  const ofFile = Date.parse(`${century}${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(ofFile) ? 0 : ofFile;
}

const stateOf = ({ size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }) => `${size} ${mtimeMs}`;

/**
 * Reads an entry again.
 * @throws Fault unavailable `import.source-unavailable` when the file has changed since it was scanned: the bytes at the
 *   place may be of another entry
 */
export async function readElogEntry({ file, fileState, id, start, end }: ElogPlace): Promise<ElogEntry> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(end - start);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    const isSame = stateOf(await handle.stat()) === fileState;
    if (isSame && bytesRead === bytes.length) return parseElogEntry(id, bytes);
    const text = `${quoted(file, 200)} was changed while it was imported. Run the import again, best while the ELOG is not used.`;
    throw new Fault('unavailable', 'import.source-unavailable', text);
  } finally {
    await handle.close();
  }
}

/**
 * Returns the path of a file beside the entry; undefined when there is none, or it is a link out of the folder: a name
 * in an entry must not lead to other files of the machine.
 */
export async function findBeside({ dir }: Pick<ElogPlace, 'dir'>, storedName: string): Promise<string | undefined> {
  if (storedName === '' || /[/\\\0]|^[.]{1,2}$/.test(storedName)) return undefined;
  try {
    const path = await realpath(join(dir, storedName));
    const isInside = path.startsWith(`${await realpath(dir)}${sep}`);
    return isInside && (await stat(path)).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}
