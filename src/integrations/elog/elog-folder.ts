import type { Dirent } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, quoted } from '../../kernel/fault.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import type { ElogBytes } from './elog-bytes.js';
import { type ElogDate, readElogDate } from './elog-date.js';
import { type ElogEntry, type EntryRange, headerOf, listRanges, maxHeadBytes, parseElogEntry } from './elog-entry.js';
import { joinPath } from './stored-files.js';

/** An entry in the folder of an ELOG, without its text. */
export interface ListedEntry extends EntryRange {
  readonly logbook: string;
  /** Folder of the logbook. Paths are bytes, because names on disk may be in UTF-8 or in the charset of the server. */
  readonly root: Buffer;
  /** Folder with the file of the entry. */
  readonly dir: Buffer;
  readonly file: Buffer;
  readonly fileState: string;
  readonly date: ElogDate;
  /** Id of the entry to which this one replies, in the same logbook; undefined for none. */
  readonly parent: number | undefined;
  /** Ids of the replies that the entry names. */
  readonly replies: readonly number[];
  /** User whose draft it is; undefined for a submitted entry. */
  readonly draftOf: string | undefined;
}

/** Settings for reading the files of an ELOG. */
export interface ElogReading {
  readonly decoder: ElogBytes;
  /** IANA name of the time zone of dates without one. */
  readonly timeZone: string;
}

const maxFileBytes = 268_435_456;
const maxDepth = 3;
const maxReplies = 1_000;
const shownLead = 1_000;

/** The entries in the folder of an ELOG. */
export interface ElogList {
  readonly entries: readonly ListedEntry[];
  /** Parts of files that are not entries, with their logbooks. */
  readonly unread: readonly UnreadPart[];
}

interface UnreadPart {
  readonly logbook: string;
  /** Sentence about the omitted part. */
  readonly sentence: string;
}

/**
 * Lists all entries of an ELOG.
 * @param root folder that `findLogbooks` has returned
 * @param onEntry called with each entry
 * @throws Fault invalid `import.source-invalid` when the folder has no logbooks, or a file is too large
 */
export async function scanElog(
  root: string,
  reading: ElogReading,
  onEntry: (listed: ListedEntry, entry: ElogEntry) => void,
  signal: AbortSignal,
): Promise<ElogList> {
  const entries: ListedEntry[] = [];
  const unread: UnreadPart[] = [];
  const slice = new TimeSlice();
  for (const folder of await listFolder(Buffer.from(root))) {
    if (!folder.isDirectory()) continue;
    const logbook = { logbook: reading.decoder.decode(folder.name), root: joinPath(Buffer.from(root), folder.name) };
    for await (const file of listLogFiles(logbook.root, 0)) {
      signal.throwIfAborted();
      const onUnread = (sentence: string) => unread.push({ logbook: logbook.logbook, sentence });
      const log = { ...logbook, ...file, onUnread };
      for await (const [listed, entry] of readLogFile(log, reading, slice)) {
        entries.push(listed);
        onEntry(listed, entry);
      }
      signal.throwIfAborted();
    }
  }
  if (entries.length === 0) {
    throw new Fault('invalid', 'import.source-invalid', `${quoted(root, 200)} contains no ELOG entries (….log files).`);
  }
  return { entries, unread };
}

/** Returns the folder of the logbooks: the subfolder `logbooks` or, if that is empty or missing, the given folder. */
export async function findLogbooks(dir: string): Promise<string> {
  const below = join(dir, 'logbooks');
  const found = await readdir(below).catch(() => []);
  return found.length > 0 ? below : dir;
}

interface LogFile {
  readonly logbook: string;
  readonly root: Buffer;
  readonly dir: Buffer;
  readonly name: string;
  /** Called with a sentence about a part that is not an entry. */
  readonly onUnread: (sentence: string) => void;
}

/** Lists the files of a logbook. Newer versions of ELOG have a folder for each year. */
async function* listLogFiles(dir: Buffer, depth: number): AsyncGenerator<Pick<LogFile, 'dir' | 'name'>> {
  for (const found of await listFolder(dir)) {
    const name = found.name.toString('latin1');
    if (found.isDirectory() && depth < maxDepth) yield* listLogFiles(joinPath(dir, found.name), depth + 1);
    else if (found.isFile() && /^\d{6}a?[.]log$/.test(name)) yield { dir, name };
  }
}

async function listFolder(dir: Buffer): Promise<Dirent<Buffer>[]> {
  const found = await readdir(dir, { withFileTypes: true, encoding: 'buffer' });
  return found.sort((one, other) => one.name.compare(other.name));
}

async function* readLogFile(
  { logbook, root, dir, name, onUnread }: LogFile,
  { decoder, timeZone }: ElogReading,
  slice: TimeSlice,
): AsyncGenerator<[ListedEntry, ElogEntry]> {
  const file = joinPath(dir, Buffer.from(name));
  const { size, mtimeMs } = await stat(file);
  if (size > maxFileBytes) {
    throw new Fault('invalid', 'import.source-invalid', `${decoder.decode(file)} has more than ${maxFileBytes} bytes.`);
  }
  const content = await readFile(file);
  let first = content.length;
  for (const range of listRanges(content)) {
    if (slice.isOver) await slice.next();
    if (!range) continue;
    first = Math.min(first, range.start);
    const entry = parseElogEntry(
      range.id,
      content.subarray(range.start, Math.min(range.end, range.start + maxHeadBytes)),
      decoder,
    );
    const parent = Number.parseInt(headerOf(entry, 'in reply to'), 10);
    const replies = headerOf(entry, 'reply to')
      .split(',', maxReplies)
      .map((id) => Number.parseInt(id, 10));
    const draftOf = headerOf(entry, 'draft');
    const listed: ListedEntry = {
      ...range,
      logbook,
      root,
      dir,
      file,
      fileState: stateOf({ size, mtimeMs }),
      date: readElogDate(headerOf(entry, 'date'), timeZone, name),
      parent: parent > 0 ? parent : undefined,
      replies: replies.filter((id) => id > 0),
      draftOf: draftOf === '' ? undefined : draftOf,
    };
    yield [listed, entry];
  }
  // Reports text before the first entry. ELOG before 2.0 began entries differently, and a file may be damaged.
  const lead = content
    .toString('latin1', 0, Math.min(first, shownLead))
    .replace(/^\xef\xbb\xbf/, '')
    .trim();
  if (lead === '') return;
  const where = quoted(decoder.decode(file), 200);
  onUnread(
    `The first ${first} bytes of ${where} are not an entry and were left out; they begin with ${quoted(lead, 60)}.`,
  );
}

const stateOf = ({ size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }) => `${size} ${mtimeMs}`;

/**
 * Reads the bytes of an entry again.
 * @param maxBytes maximum number of bytes that are read
 * @throws Fault unavailable `import.source-unavailable` when the file has changed since it was scanned, because the
 *   bytes may belong to another entry
 */
export async function readEntryBytes({ file, fileState, start, end }: ListedEntry, maxBytes: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    // Shared with the thread that converts the text, to avoid a copy of megabytes.
    const bytes = Buffer.from(new SharedArrayBuffer(Math.min(end - start, maxBytes)));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    const isSame = stateOf(await handle.stat()) === fileState;
    if (isSame && bytesRead === bytes.length) return bytes;
    const text = `${quoted(file.toString(), 200)} was changed while it was imported. Run the import again, preferably while no one uses the ELOG.`;
    throw new Fault('unavailable', 'import.source-unavailable', text);
  } finally {
    await handle.close();
  }
}
