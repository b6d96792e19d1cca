import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { isDamage, toFault } from './sqlite-errors.js';

export type { DatabaseSync };

type Row = Record<string, unknown>;

/** `node:sqlite` where it is stable, the same API from a package with binaries elsewhere. */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 24) return (await import('node:sqlite')).DatabaseSync;
  return (await import('@photostructure/sqlite')).DatabaseSync as unknown as typeof DatabaseSync;
}

/** What a table needs of a connection. */
export type Statements = Pick<Connection, 'get' | 'all' | 'run'>;

/** One connection with its prepared statements; every engine error leaves it as a Fault. */
export class Connection {
  private readonly statements = new Map<string, StatementSync>();

  /** @param onDamage called when the database turns out to be damaged; says so */
  constructor(
    readonly db: DatabaseSync,
    private readonly onDamage: (cause: unknown) => Error = toFault,
  ) {}

  get<T extends object = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.guard(() => this.prepared(sql).get(...values)) as T | undefined;
  }

  all<T extends object = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.guard(() => this.prepared(sql).all(...values)) as T[];
  }

  /** Number of rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.guard(() => this.prepared(sql).run(...values)).changes);
  }

  exec(sql: string): void {
    this.guard(() => this.db.exec(sql));
  }

  /** The same connection, whose statements throw once `isLive` is false: for what must not outlive a transaction. */
  while(isLive: () => boolean): Statements {
    const check = () => {
      if (!isLive()) throw new Error('this transaction has ended; nothing was read or written');
    };
    return {
      get: (sql, ...values) => {
        check();
        return this.get(sql, ...values);
      },
      all: (sql, ...values) => {
        check();
        return this.all(sql, ...values);
      },
      run: (sql, ...values) => {
        check();
        return this.run(sql, ...values);
      },
    } as Statements;
  }

  /** Ends the transaction without a trace; no effect when it has ended by itself, as after an error of the disk. */
  rollBack(): void {
    if (this.db.isTransaction) this.exec('ROLLBACK');
  }

  close(): void {
    this.statements.clear();
    if (this.db.isOpen) this.db.close();
  }

  private prepared(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  private guard<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw isDamage(error) ? this.onDamage(error) : toFault(error);
    }
  }
}
