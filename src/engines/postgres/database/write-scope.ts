import type { Change } from '../../../entries/change-feed.port.js';
import type { LedgerRecord } from '../../../ledger/ledger-record.js';
import type { Statements } from '../../sql/statements.port.js';
import { noChanges, type WriteScope as SharedScope } from '../../sql/write-scope.port.js';
import type { DocumentDamageReports } from '../../stored-document.js';
import type { EntryScope } from '../tables/entries.js';
import type { NewEntryRow } from '../tables/entry-inserts.js';
import type { IdBlock } from './id-block.js';
import { type Incarnation, ownTransaction } from './incarnation.js';
import { statementsOn } from './statements.js';
import type { WriteBatch } from './write-batch.js';

/** Part of a transaction that one write may use, until the write ends. */
export class WriteScope implements SharedScope, EntryScope {
  /** First error of a statement. The transaction cannot continue after it, even if the write catches the error. */
  error: unknown;
  readonly statements: Statements;
  readonly catalogReads: Statements;
  readonly changed = noChanges();
  readonly changes: Change[] = [];
  readonly records: LedgerRecord[] = [];
  private isOver = false;

  constructor(
    private readonly batch: WriteBatch,
    reports: DocumentDamageReports,
    readonly incarnation: Incarnation,
    private readonly ids: Pick<IdBlock, 'pass'> & { readonly next: () => Promise<number> },
  ) {
    this.statements = statementsOn((sql, values) => this.run(() => batch.run(sql, values)), reports);
    this.catalogReads = statementsOn((sql, values) => this.run(() => batch.readCatalog(sql, values)), reports);
  }

  nextEntryId(): Promise<number> {
    return this.run(this.ids.next);
  }

  passEntryId(id: number): Promise<boolean> {
    return this.run(() => this.ids.pass(id));
  }

  insertLater(entry: NewEntryRow): Promise<void> {
    return this.run(() => this.batch.insertLater(entry));
  }

  claimCatalog(): Promise<void> {
    return this.run(() => this.batch.claimCatalog());
  }

  forgetCatalog(): void {
    this.batch.forgetCatalog();
  }

  async renewEntries(ids: readonly number[]): Promise<void> {
    const sql = `UPDATE entry SET write_xid = ${ownTransaction} + $2::bigint WHERE id = ANY($1::bigint[])`;
    await this.statements.run(sql, ids, this.incarnation.offset);
  }

  append(change: Change): void {
    this.checkLive();
    this.changes.push(change);
  }

  appendRecord(record: LedgerRecord): void {
    this.checkLive();
    this.records.push(record);
  }

  end(): void {
    this.isOver = true;
  }

  private async run<T>(statement: () => Promise<T>): Promise<T> {
    this.checkLive();
    try {
      return await statement();
    } catch (error) {
      this.error ??= error;
      throw error;
    }
  }

  private checkLive(): void {
    if (this.isOver) throw new Error('this transaction has ended; nothing was read or written');
  }
}
