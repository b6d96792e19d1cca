import type pg from 'pg';
import type { Change } from '../../../entries/change-feed.port.js';
import type { DocumentDamageReports } from '../../stored-document.js';
import type { FeedScope } from '../tables/changes.js';
import type { Incarnation } from './incarnation.js';
import { runPrepared, type Statements, statementsOn } from './statements.js';

/** What one write may use of a transaction, until the write ends. */
export class WriteScope implements FeedScope {
  /** The first error of a statement: the transaction cannot go on after it, whatever the write makes of it. */
  error: unknown;
  readonly statements: Statements;
  readonly changes: Change[] = [];
  private isOver = false;

  constructor(
    client: pg.Client,
    reports: DocumentDamageReports,
    readonly incarnation: Incarnation,
  ) {
    this.statements = statementsOn(async (sql, values) => {
      this.checkLive();
      try {
        return await runPrepared(client, sql, values);
      } catch (error) {
        this.error ??= error;
        throw error;
      }
    }, reports);
  }

  append(change: Change): void {
    this.checkLive();
    this.changes.push(change);
  }

  end(): void {
    this.isOver = true;
  }

  private checkLive(): void {
    if (this.isOver) throw new Error('this transaction has ended; nothing was read or written');
  }
}
