import { closeSync, constants, fdatasyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../kernel/log.js';
import { rowChecksum } from '../../kernel/row-checksum.js';
import { fileSystemFault } from '../../kernel/storage-faults.js';

export const entryIdsFile = 'entry-ids';
/** Number of ids reserved per sync to disk. */
const blockSize = 100;
/** Size of one sector, which a disk writes atomically. */
const recordBytes = 512;

interface Marks {
  /** No id above this one has been assigned. Durable. */
  readonly reserved: number;
  /** Highest assigned id. Survives the end of the process, but a power failure may lose the latest value. */
  readonly given: number;
  /** Boot of the operating system in which this was written; empty: unknown. */
  readonly bootId: string;
}

/**
 * Highest entry id ever assigned, recorded outside the database. A restored copy of the database lacks the ids assigned
 * since and would reuse them. Ids are reserved in blocks. The exact mark is written before each commit, without a sync.
 */
export class EntryIds {
  /** All new ids are above this one. */
  readonly floor: number;
  /** Whether ids were assigned that the database lacks, not counting one write that may have been interrupted. */
  isDatabaseOlder = false;
  private reserved: number;
  private given: number;
  /** Highest id of the current transaction, or of an earlier one that was committed. */
  private newest = 0;

  private constructor(
    private readonly descriptor: number,
    private readonly bootId: string,
    marks: Marks | undefined,
  ) {
    // After a power failure, the exact mark may be too low.
    const isExact = marks !== undefined && bootId !== '' && marks.bootId === bootId;
    this.floor = marks === undefined ? 0 : isExact ? marks.given : marks.reserved;
    this.given = this.floor;
    this.reserved = marks?.reserved ?? 0;
  }

  /** @param newest highest id in the database */
  static open(dataDir: string, newest: number, log: Log): EntryIds {
    const descriptor = openSync(join(dataDir, entryIdsFile), constants.O_RDWR | constants.O_CREAT, 0o600);
    const marks = readMarks(descriptor);
    if (marks === 'unreadable') log.error({ file: entryIdsFile }, 'highest entry id not readable; using the database');
    const ids = new EntryIds(descriptor, readBootId(), marks === 'unreadable' ? undefined : marks);
    const { given, bootId } = typeof marks === 'object' ? marks : { given: 0, bootId: '' };
    // After a crash, the last id may belong to a write that was not stored.
    ids.isDatabaseOlder = given > newest + (bootId === '' ? 0 : 1);
    const details = { newestInDatabase: newest, nextId: ids.floor + 1 };
    if (ids.isDatabaseOlder) {
      log.warn(details, 'database is older than the ids already given; the ids in between are skipped');
    } else if (ids.floor > newest) log.info(details, 'ids skipped after an unclean end');
    return ids;
  }

  /** Notes an id that the current transaction stores. */
  give(id: number): void {
    this.newest = Math.max(this.newest, id);
  }

  /** Forgets the ids of a transaction that was rolled back. */
  forget(): void {
    this.newest = this.given;
  }

  /**
   * Records the ids of a transaction; must be called before its commit.
   * @throws Fault full `storage.full`; unavailable `storage.unavailable`
   */
  record(): void {
    const id = this.newest;
    if (id <= this.given) return;
    try {
      const isReserved = id <= this.reserved;
      const reserved = isReserved ? this.reserved : id + blockSize - 1;
      this.write({ reserved, given: id, bootId: this.bootId });
      if (!isReserved) fdatasyncSync(this.descriptor);
      this.reserved = reserved;
      this.given = id;
    } catch (error) {
      throw fileSystemFault(error);
    }
  }

  /** Releases the rest of the reserved block, so that the next start continues without a gap. */
  close(newest: number): void {
    try {
      this.write({ reserved: Math.max(newest, this.floor), given: Math.max(newest, this.floor), bootId: '' });
      fdatasyncSync(this.descriptor);
    } finally {
      closeSync(this.descriptor);
    }
  }

  private write(marks: Marks): void {
    writeMarks(this.descriptor, marks);
  }
}

function writeMarks(descriptor: number, { reserved, given, bootId }: Marks): void {
  const text = `reserved ${reserved}\ngiven ${given}\nboot ${bootId}\n`;
  const checked = `${text}checksum ${rowChecksum([text])}\n`;
  writeSync(descriptor, checked.padEnd(recordBytes - 1, ' ').concat('\n'), 0);
}

function readMarks(descriptor: number): Marks | undefined | 'unreadable' {
  const buffer = Buffer.alloc(recordBytes);
  const text = buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, recordBytes, 0));
  if (text === '') return undefined;
  const found = /^reserved (\d+)\ngiven (\d+)\nboot (\S*)\n/.exec(text);
  if (!found) return 'unreadable';
  const [record, reserved, given, bootId = ''] = found;
  // A record of an earlier version has spaces instead of the checksum.
  const checksum = /\S.*/.exec(text.slice(record.length))?.[0];
  if (checksum !== undefined && checksum !== `checksum ${rowChecksum([record])}`) return 'unreadable';
  return { reserved: Number(reserved), given: Number(given), bootId };
}

/** Reads the highest id ever assigned from a data directory that another process may be using; 0: none is recorded. */
export function readGivenIds(dataDir: string): number {
  const marks = inspectGivenIds(dataDir);
  return typeof marks === 'object' ? marks.given : 0;
}

/**
 * Reads the assigned and reserved ids from a data directory that another process may be using; undefined: none are
 * recorded.
 */
export function inspectGivenIds(dataDir: string): Pick<Marks, 'reserved' | 'given'> | undefined | 'unreadable' {
  let descriptor: number;
  try {
    descriptor = openSync(join(dataDir, entryIdsFile), 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return readMarks(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Durably records in an unused data directory that all ids up to this one are assigned. */
export function writeGivenIds(dataDir: string, highest: number): void {
  const descriptor = openSync(join(dataDir, entryIdsFile), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    writeMarks(descriptor, { reserved: highest, given: highest, bootId: '' });
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the boot id of the operating system; empty if it has none. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
