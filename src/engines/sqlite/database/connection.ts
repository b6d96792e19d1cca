import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { Fault } from '../../../kernel/fault.js';

export type { DatabaseSync };

type Row = Record<string, unknown>;

/** `node:sqlite` where it is stable, the same API from a package with binaries elsewhere. */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 24) return (await import('node:sqlite')).DatabaseSync;
  return (await import('@photostructure/sqlite')).DatabaseSync as unknown as typeof DatabaseSync;
}

/** One connection with its prepared statements; every engine error leaves it as a Fault. */
export class Connection {
  private readonly statements = new Map<string, StatementSync>();

  /** @param onDamage called when the database turns out to be damaged; says so */
  constructor(
    readonly db: DatabaseSync,
    private readonly onDamage: (cause: unknown) => Error = faultOf,
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
      const primary = (errcodeOf(error) ?? 0) & 0xff;
      const isDamage = primary === sqliteCorrupt || primary === sqliteNotADatabase;
      throw isDamage ? this.onDamage(error) : faultOf(error);
    }
  }
}

const sqliteCorrupt = 11;
const sqliteFull = 13;
const sqliteConstraint = 19;
const sqliteNotADatabase = 26;

/** SQLite's words where its number is missing: the package leaves it out of what `all` throws. */
const errcodeOfMessage: ReadonlyMap<string | undefined, number> = new Map([
  ['database disk image is malformed', sqliteCorrupt],
  ['database or disk is full', sqliteFull],
  ['file is not a database', sqliteNotADatabase],
]);

function errcodeOf(error: unknown): number | undefined {
  const { errcode, message } = error as { errcode?: number; message?: string };
  return errcode ?? errcodeOfMessage.get(message);
}

export function diskFull(cause?: unknown): Fault {
  return new Fault(
    'full',
    'storage.full',
    'The disk of the logbook is full; nothing was stored. Free some space and repeat.',
    { cause },
  );
}

/** What SQLite's error means to the rest of the program; a constraint is for the caller to explain. */
function faultOf(error: unknown): Error {
  if (error instanceof Fault) return error;
  const errcode = errcodeOf(error);
  if (errcode === sqliteFull) return diskFull(error);
  if (errcode !== undefined && (errcode & 0xff) === sqliteConstraint) return error as Error;
  return new Fault(
    'unavailable',
    'storage.unavailable',
    'The storage does not answer as it should; nothing was stored. The log of the service says why. Try again later.',
    { cause: error },
  );
}

/** True for the violation of a uniqueness rule. */
export function isUniqueViolation(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode === 2067 || errcode === 1555;
}
