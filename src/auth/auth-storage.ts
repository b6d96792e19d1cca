import type { ClockReader, ClockStore } from '../kernel/clock-store.port.js';
import type { UnitOfRemoval, UnitOfWork } from '../kernel/unit-of-work.js';
import type { AuditReader, AuditStore } from './audit-store.port.js';
import type { SessionReader, SessionStore } from './session-store.port.js';
import type { TokenReader, TokenStore } from './token-store.port.js';

export interface AuthTransaction {
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly clock: ClockStore;
}

/** The stores from which a transaction can remove data even when the disk is full. */
export interface AuthRemoval {
  readonly sessions: Pick<SessionStore, 'remove'>;
  readonly tokens: Pick<TokenStore, 'remove'>;
}

export interface CommittedAuth {
  readonly sessions: SessionReader;
  readonly tokens: TokenReader;
  readonly audit: AuditReader;
  readonly clock: ClockReader;
}

/** The stores that sign-in, the audit log and their expiry may use. */
export type AuthStorage = UnitOfWork<AuthTransaction, CommittedAuth> & UnitOfRemoval<AuthRemoval>;
