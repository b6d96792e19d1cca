import type pg from 'pg';
import type { SqlValue } from '../../sql/dialect.js';
import { insertEntries, type NewEntryRow } from '../tables/entry-inserts.js';
import { type CatalogCache, catalogRevisionSql } from './catalog-cache.js';
import { IdBlock } from './id-block.js';
import { runPrepared } from './statements.js';

/** Maximum number of new entries that one statement stores. */
const maxUnsentEntries = 64;
/** Total size of unsent documents that triggers sending, in bytes. */
const maxUnsentBytes = 1_000_000;

type Result = ReturnType<typeof runPrepared>;

/**
 * One transaction on the write connection, shared by several writes. It sees a single state of the database. It
 * therefore reads each part of the catalogue at most once, and not at all if an earlier transaction has read it at the
 * same revision. New entries are collected, and stored by one statement before the next one that might see them. If
 * that statement fails, the whole batch fails.
 */
export class WriteBatch {
  /** Error of a statement that was sent without being awaited; later failures are its consequences. */
  error: unknown;
  readonly ids: IdBlock;
  private readonly begun: Promise<unknown>;
  private isOver = false;
  private isCatalogClaimed = false;
  private readonly catalogReads = new Map<string, Result>();
  /** Revision of the catalogue seen by this transaction; undefined: not read yet. */
  private revision: Promise<string> | undefined;
  private unsent: NewEntryRow[] = [];
  private unsentBytes = 0;
  private unanswered: Promise<unknown>[] = [];

  constructor(
    readonly client: pg.Client,
    private readonly offset: number,
    private readonly catalogCache: CatalogCache,
  ) {
    this.ids = new IdBlock(client);
    this.begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    // Statements that need the transaction await this promise and report the failure.
    this.begun.catch(() => undefined);
  }

  async run(sql: string, values: readonly SqlValue[]): Result {
    // A statement outside the transaction would take effect on its own.
    await this.begun;
    if (this.isOver) throw new Error('the transaction has ended; the statement was not run');
    this.send();
    return runPrepared(this.client, sql, values);
  }

  /** Runs a statement that reads no entries, so unsent new entries can remain unsent. */
  private async read(sql: string, values: readonly SqlValue[]): Result {
    await this.begun;
    return runPrepared(this.client, sql, values);
  }

  /** Runs a statement that reads the catalogue, or returns the earlier result of the same statement. */
  readCatalog(sql: string, values: readonly SqlValue[]): Result {
    const key = JSON.stringify([sql, values]);
    let result = this.catalogReads.get(key);
    if (!result) {
      result = this.findInCatalog(key, sql, values);
      this.catalogReads.set(key, result);
    }
    return result;
  }

  /**
   * Reads the catalogue through the cache of the connection. Results are not cached once this transaction may have
   * changed the catalogue.
   */
  private async findInCatalog(key: string, sql: string, values: readonly SqlValue[]): Result {
    if (this.isCatalogClaimed) return this.read(sql, values);
    this.revision ??= this.useCatalogCache();
    const revision = await this.revision;
    const cached = this.catalogCache.find(key);
    if (cached) return cached;
    const result = await this.read(sql, values);
    if (!this.isCatalogClaimed) this.catalogCache.keep(key, result, revision);
    return result;
  }

  private async useCatalogCache(): Promise<string> {
    const { rows } = await this.read(catalogRevisionSql, []);
    const revision = String((rows[0] as { revision?: string } | undefined)?.revision);
    this.catalogCache.useRevision(revision);
    return revision;
  }

  /** Ends the batch and drops unsent entries. Must be called before the transaction is rolled back. */
  end(): void {
    this.isOver = true;
    this.unsent = [];
  }

  /**
   * Gives the catalogue a new revision. Must be called before the catalogue or the templates are changed: if two nodes
   * change them concurrently, one restarts its transaction and sees the change of the other.
   */
  async claimCatalog(): Promise<void> {
    if (this.isCatalogClaimed) return;
    await this.run("UPDATE store SET value = value WHERE key = 'id'", []);
    this.isCatalogClaimed = true;
  }

  /** Must be called after a write has changed the catalogue. */
  forgetCatalog(): void {
    this.catalogReads.clear();
  }

  async insertLater(entry: NewEntryRow): Promise<void> {
    this.unsent.push(entry);
    this.unsentBytes += entry.json.length;
    if (this.unsent.length < maxUnsentEntries && this.unsentBytes < maxUnsentBytes) return;
    await this.begun;
    if (!this.isOver) this.send();
  }

  /**
   * Sends unsent entries together with the last statements of the transaction or of one write.
   * @throws the first error of a statement
   */
  async settle<T>(last: () => Promise<T>): Promise<T> {
    await this.begun;
    this.send();
    const [result] = await Promise.allSettled([last(), ...this.unanswered.splice(0)]);
    if (this.error) throw this.error;
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  async setSavepoint(): Promise<void> {
    await this.begun;
    await this.client.query('SAVEPOINT one_write');
  }

  /** Undoes everything since the savepoint; the batch can then continue. */
  async rollBackToSavepoint(): Promise<void> {
    this.unsent = [];
    this.unsentBytes = 0;
    await Promise.all(this.unanswered.splice(0));
    await this.client.query('ROLLBACK TO one_write');
    this.error = undefined;
    this.isCatalogClaimed = false;
    this.revision = undefined;
    this.forgetCatalog();
  }

  private send(): void {
    if (this.unsent.length === 0) return;
    const entries = this.unsent;
    this.unsent = [];
    this.unsentBytes = 0;
    this.unanswered.push(
      this.insert(entries).catch((error) => {
        this.error ??= error;
      }),
    );
  }

  private async insert(entries: readonly NewEntryRow[]): Promise<void> {
    const run = async (sql: string, ...values: SqlValue[]) =>
      (await runPrepared(this.client, sql, values)).rowCount ?? 0;
    const stored = await insertEntries({ run }, this.offset, entries);
    if (stored < entries.length) throw new Error('the id of a new entry is taken');
  }
}
