import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { LedgerReader, LedgerStore } from './ledger-store.port.js';

export interface LedgerTransaction {
  readonly ledger: LedgerStore;
}

export interface CommittedLedger {
  readonly ledger: LedgerReader;
}

export type LedgerStorage = UnitOfWork<LedgerTransaction, CommittedLedger>;
