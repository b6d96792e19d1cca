import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeBlobStoreId } from '../engines/files/blob-store-identity.js';
import type { DataDirLock } from '../engines/sqlite/data-dir-lock.js';
import { newMark, readLogNumber } from '../engines/sqlite/database-mark.js';
import { documentsFile } from '../engines/sqlite/inspect-documents.js';
import type { Log } from '../kernel/log.js';
import { syncDirectory } from '../kernel/sync-directory.js';
import { attachmentsFolder, type DataDirContents } from './storage-identity.js';

/**
 * Records that a run leaves in the data directory, by which the next one checks it, see `storage-identity.ts`. A full
 * disk prevents none of its steps: entries can still be read.
 */
export class RecordedRun {
  constructor(
    private readonly contents: DataDirContents,
    private readonly lock: DataDirLock,
    private readonly log: Log,
  ) {}

  /**
   * Records the mark that the database file will get, in addition to the current one: after a crash in between, it may
   * have either. Returns undefined when that is not possible; the file then keeps the mark that it has.
   */
  announceMark(): number | undefined {
    const { documents } = this.contents;
    const next = newMark();
    const present = documents.kind === 'present' ? (documents.mark ?? 0) : 0;
    return this.record(couldNotMark, () => this.lock.record({ marks: [present, next] })) ? next : undefined;
  }

  /** Must be called when the database file has this mark. No other mark is accepted from then on. */
  confirmMark(mark: number): void {
    this.record(couldNotMark, () => this.lock.record({ marks: [mark] }));
  }

  /** Records which database is open, and how its write-ahead log can be recognized. */
  begin(mark: number): void {
    this.record('could not record that the database is open', () => {
      this.lock.record({ openMark: mark });
      const firstLogNumber = readLogNumber(this.findDocuments());
      if (firstLogNumber === undefined) return;
      this.lock.record({ runs: [...this.lock.records.runs, { mark, firstLogNumber }] });
    });
  }

  /** Records the end of the run. A database that was closed leaves no write-ahead log, unless that could not be emptied. */
  end(): void {
    this.record('could not record that the database is closed', () => {
      const logFile = statSync(`${this.findDocuments()}-wal`, { throwIfNoEntry: false });
      if ((logFile?.size ?? 0) === 0) this.lock.record({ openMark: undefined });
    });
  }

  /**
   * Records in each part of the directory which store it belongs to, first in the directory itself: if only the other
   * parts had the record, the file of the directory would seem to have been removed. When this fails or ends halfway,
   * the next start continues.
   */
  async recordStore(storeId: string): Promise<void> {
    const { dataDir, attachmentsKind, attachmentsId } = this.contents;
    const { lock } = this;
    try {
      if (!lock.records.identity) lock.record({ identity: { storeId, isComplete: false } });
      const isUnmarked = attachmentsKind === 'files' && attachmentsId === undefined;
      if (isUnmarked) await writeBlobStoreId(join(dataDir, attachmentsFolder), storeId);
      await syncDirectory(dataDir);
      // Last, because a directory that is recorded as complete is refused when a part of it is missing.
      if (!lock.records.identity?.isComplete) lock.record({ identity: { storeId, isComplete: true } });
    } catch (error) {
      this.log.error({ err: error }, 'could not record to which logbook the data directory belongs');
    }
  }

  /** The file itself, which may be behind a symbolic link. */
  private findDocuments(): string {
    return realpathSync(join(this.contents.dataDir, documentsFile));
  }

  private record(failure: string, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.log.error({ err: error }, failure);
      return false;
    }
  }
}

const couldNotMark = 'could not mark the database of this run';
