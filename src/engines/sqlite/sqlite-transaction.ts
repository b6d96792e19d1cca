import type { LeaseCheck } from '../../kernel/lease.port.js';
import { SqlTransaction, sharedReaders } from '../sql/sql-transaction.js';
import type { Committed } from '../storage.port.js';
import { asyncStatements } from './database/async-statements.js';
import { type Connection, type Statements, transactionEnded } from './database/connection.js';
import type { EntryIds } from './entry-ids.js';
import { entryReader, entryStore } from './tables/entries.js';
import { entryFileReader } from './tables/entry-files.js';
import { entryWriteReader } from './tables/entry-writes.js';
import { fillChecksums } from './tables/fill-checksums.js';
import { fillEntryFiles } from './tables/fill-entry-files.js';
import { rowVerificationStore } from './tables/row-verification.js';
import { writeScope } from './tables/write-scope.js';

/** Stores that one write may use. After the write, all of them throw, including those obtained earlier. */
export class SqliteTransaction extends SqlTransaction {
  private constructor(
    private readonly connection: Statements,
    private readonly life: { isOver: boolean },
    private readonly ids: EntryIds,
    private readonly leaseCheck: LeaseCheck,
  ) {
    const shared = asyncStatements(connection);
    super(shared, writeScope(connection, shared), entryFileReader(connection));
  }

  static on(connection: Connection, ids: EntryIds, leaseCheck: LeaseCheck): SqliteTransaction {
    const life = { isOver: false };
    return new SqliteTransaction(
      connection.while(() => !life.isOver),
      life,
      ids,
      leaseCheck,
    );
  }

  get entries() {
    this.made.entries ??= entryStore(this.connection, { changed: this.scope.changed, ids: this.ids });
    return this.made.entries;
  }

  get rowVerification() {
    return rowVerificationStore(this.connection);
  }

  get leases(): LeaseCheck {
    return {
      require: async (name, token) => {
        if (this.life.isOver) throw transactionEnded();
        await this.leaseCheck.require(name, token);
      },
    };
  }

  /** Records the files of earlier entries; returns false if there are no more. */
  fillEntryFiles(): boolean {
    return fillEntryFiles(this.connection);
  }

  /** Gives earlier documents their checksums; returns false if there are no more. */
  fillChecksums(): boolean {
    return fillChecksums(this.connection);
  }

  end(): void {
    this.life.isOver = true;
  }
}

export function committedOn(connection: Connection): Committed {
  return {
    ...sharedReaders(asyncStatements(connection), entryFileReader(connection)),
    entries: entryReader(connection),
    entryWrites: entryWriteReader(connection),
  };
}
