import type { Change } from '../../entries/change-feed.port.js';
import type { Commit } from '../../kernel/unit-of-work.js';
import type { LedgerRecord } from '../../ledger/ledger-record.js';
import type { Statements } from './statements.port.js';

/** Data changed by a write so far. */
export type WriteChanges = { -readonly [K in Exclude<keyof Commit, 'entries' | 'entryIds'>]: Commit[K] } & {
  /** Ids of the changed entries. */
  readonly entries: Set<number>;
};

export const noChanges = (): WriteChanges => ({ entries: new Set(), feed: false, files: false, catalog: false });

/** Part of a write that reports its changes so far. */
export interface ChangeScope {
  readonly changed: WriteChanges;
}

/** Part of a write that collects its ledger records. */
export interface LedgerScope {
  /** @throws Error when the write has ended */
  appendRecord(record: LedgerRecord): void;
}

/** Part of a write that is needed to change the catalogue or the templates. */
export interface CatalogClaim extends ChangeScope {
  /** Must be called before such a change. If two nodes change them concurrently, one restarts its transaction. */
  claimCatalog(): Promise<void>;
}

/** Part of a write that is needed to change the catalogue. */
export interface CatalogScope extends LedgerScope, CatalogClaim {
  /** Catalogue reads, which may be answered with earlier results of the transaction. */
  readonly catalogReads: Statements;
  /** Must be called after a statement that has changed the catalogue. */
  forgetCatalog(): void;
}

/** Part of a write that collects its changes for the change feed. */
export interface FeedScope extends ChangeScope {
  /** @throws Error when the write has ended */
  append(change: Change): void;
}

/** Part of a write that is needed to store the text of a file. */
export interface TextScope extends ChangeScope {
  /** Makes the search index read the entries again, as if they had been written. */
  renewEntries(ids: readonly number[]): Promise<void>;
}

/** Capabilities of a write that the stores need in addition to statements. */
export interface WriteScope extends CatalogScope, FeedScope, TextScope {}
