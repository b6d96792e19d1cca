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
 * Writes the records of a run, by which the next run checks the data directory, see `storage-identity.ts`. A full disk
 * does not make the methods fail, so that entries can still be read.
 */
export class RecordedRun {
  constructor(
    private readonly contents: DataDirContents,
    private readonly lock: DataDirLock,
    private readonly log: Log,
  ) {}

  /**
   * Records the next mark of the database file in addition to the current one, because the file may have either after a
   * crash. Returns undefined if the record cannot be written; the file must then keep its mark.
   */
  announceMark(): number | undefined {
    const { documents } = this.contents;
    const next = newMark();
    const present = documents.kind === 'present' ? (documents.mark ?? 0) : 0;
    return this.record(couldNotMark, () => this.lock.record({ marks: [present, next] })) ? next : undefined;
  }

  /** Must be called when the database file has this mark. From then on, no other mark is accepted. */
  confirmMark(mark: number): void {
    this.record(couldNotMark, () => this.lock.record({ marks: [mark] }));
  }

  /** Records the mark of the open database, and the data that identify its write-ahead log. */
  begin(mark: number): void {
    this.record('could not record that the database is open', () => {
      this.lock.record({ openMark: mark });
      const firstLogNumber = readLogNumber(this.findDocuments());
      if (firstLogNumber === undefined) return;
      this.lock.record({ runs: [...this.lock.records.runs, { mark, firstLogNumber }] });
    });
  }

  /**
   * Records the end of the run, unless the database still has a write-ahead log, which a closed one normally does not.
   */
  end(): void {
    this.record('could not record that the database is closed', () => {
      const logFile = statSync(`${this.findDocuments()}-wal`, { throwIfNoEntry: false });
      if ((logFile?.size ?? 0) === 0) this.lock.record({ openMark: undefined });
    });
  }

  /**
   * Records in each part of the directory to which store it belongs. The lock comes first: if only other parts had the
   * record, the file of the lock would seem to have been removed. If this fails or is interrupted, the next start
   * continues.
   */
  async recordStore(storeId: string): Promise<void> {
    const { dataDir, attachmentsKind, attachmentsId } = this.contents;
    const { lock } = this;
    try {
      if (!lock.records.identity) lock.record({ identity: { storeId, isComplete: false } });
      const isUnmarked = attachmentsKind === 'files' && attachmentsId === undefined;
      if (isUnmarked) await writeBlobStoreId(join(dataDir, attachmentsFolder), storeId);
      await syncDirectory(dataDir);
      // This comes last, because a directory that is recorded as complete is refused when a part is missing.
      if (!lock.records.identity?.isComplete) lock.record({ identity: { storeId, isComplete: true } });
    } catch (error) {
      this.log.error({ err: error }, 'could not record to which logbook the data directory belongs');
    }
  }

  /** Returns the file itself, which may be the target of a symbolic link. */
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
