import type { RepeatTransaction } from '../kernel/repeat-store.port.js';
import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { PreferenceReader, PreferenceStore } from './preference-store.port.js';

export interface PreferenceTransaction extends RepeatTransaction {
  readonly preferences: PreferenceStore;
}

export interface CommittedPreferences {
  readonly preferences: PreferenceReader;
}

/** The stores that editing settings and saved searches may use. */
export type PreferenceStorage = UnitOfWork<PreferenceTransaction, CommittedPreferences>;
