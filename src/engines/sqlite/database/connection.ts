import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { DocumentDamageReports } from '../../stored-document.js';
import { isCorruption, toFault } from './sqlite-errors.js';

export type { DatabaseSync };

type Row = Record<string, unknown>;

/** Loads `node:sqlite` where it is stable; otherwise a package with the same API and bundled binaries. */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 24) return (await import('node:sqlite')).DatabaseSync;
  return (await import('@photostructure/sqlite')).DatabaseSync as unknown as typeof DatabaseSync;
}

export function transactionEnded(): Error {
  return new Error('this transaction has ended; nothing was read or written');
}

/** Part of a connection that the tables use. */
export type Statements = Pick<Connection, 'get' | 'all' | 'run' | 'reportDamage'>;

/** Connection with its prepared statements. Throws SQLite errors as Faults, except constraint violations. */
export class Connection {
  private readonly statements = new Map<string, StatementSync>();

  /**
   * @param onCorruption called when SQLite finds the database corrupt; returns the error to throw
   * @param reportDamage called when the content of a row turns out to be damaged
   */
  constructor(
    readonly db: DatabaseSync,
    private readonly onCorruption: (cause: unknown) => Error = toFault,
    readonly reportDamage: DocumentDamageReports['reportDamage'] = () => undefined,
  ) {}

  get<T extends object = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.guard(() => this.prepared(sql).get(...values)) as T | undefined;
  }

  all<T extends object = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.guard(() => this.prepared(sql).all(...values)) as T[];
  }

  /** Returns the number of rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.guard(() => this.prepared(sql).run(...values)).changes);
  }

  exec(sql: string): void {
    this.guard(() => this.db.exec(sql));
  }

  /** Returns the statements of this connection for use in one transaction; they throw once `isLive` returns false. */
  while(isLive: () => boolean): Statements {
    return new LiveStatements(this, isLive);
  }

  /** Rolls back the transaction. No effect if SQLite has already ended it, for example after a disk error. */
  rollBack(): void {
    if (this.db.isTransaction) this.run('ROLLBACK');
  }

  close(): void {
    this.statements.clear();
    if (this.db.isOpen) this.db.close();
  }

  private prepared(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (!statement) {
      // SQLite recompiles a statement for each value bound directly to LIMIT, which takes longer than most reads.
      statement = this.db.prepare(sql.replace(/\bLIMIT (\?\d*)/g, 'LIMIT $1 + 0'));
      this.statements.set(sql, statement);
    }
    return statement;
  }

  private guard<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw isCorruption(error) ? this.onCorruption(error) : toFault(error);
    }
  }
}

class LiveStatements {
  constructor(
    private readonly connection: Connection,
    private readonly isLive: () => boolean,
  ) {}

  get reportDamage() {
    return this.connection.reportDamage;
  }

  get<T extends object = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    this.check();
    return this.connection.get<T>(sql, ...values);
  }

  all<T extends object = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    this.check();
    return this.connection.all<T>(sql, ...values);
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    this.check();
    return this.connection.run(sql, ...values);
  }

  private check(): void {
    if (!this.isLive()) throw transactionEnded();
  }
}
