import type { LeaseCheck } from '../../kernel/lease.port.js';
import { SqlTransaction, sharedReaders } from '../sql/sql-transaction.js';
import type { Statements } from '../sql/statements.port.js';
import type { WriteScope } from '../sql/write-scope.port.js';
import type { Committed } from '../storage.port.js';
import { type EntryScope, entryReader, entryStore } from './tables/entries.js';
import { entryFileReader } from './tables/entry-files.js';
import { entryWriteReader } from './tables/entry-writes.js';
import { leaseCheck } from './tables/leases.js';

/** Stores that one write may use. After the write, all of them throw, including those obtained earlier. */
export class PostgresTransaction extends SqlTransaction {
  /** @param statements throw after the write has ended */
  constructor(
    statements: Statements,
    private readonly entryScope: WriteScope & EntryScope,
  ) {
    super(statements, entryScope, entryFileReader(statements));
  }

  get entries() {
    return entryStore(this.statements, this.entryScope);
  }

  get leases(): LeaseCheck {
    return leaseCheck(this.statements);
  }
}

export function committedOn(statements: Statements): Committed {
  return {
    ...sharedReaders(statements, entryFileReader(statements)),
    entries: entryReader(statements),
    entryWrites: entryWriteReader(statements),
  };
}
