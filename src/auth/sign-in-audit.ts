import { LRUCache } from 'lru-cache';
import { upTo } from '../kernel/cache-limits.js';
import type { AuditLog } from './audit-log.js';
import type { AuditOutcome } from './audit-store.port.js';

/** Period in which repeated rejections from one address are audited only once. */
const auditIntervalMs = 60_000;

interface SignInEvent {
  /** User name as entered; empty when the request named no user. */
  readonly userName: string;
  /** Method of the sign-in, or name of a provider; empty for a password that was not accepted. */
  readonly target: string;
  /** Network address of the client. */
  readonly from: string;
  readonly outcome: AuditOutcome;
  readonly detail: string;
}

export class SignInAudit {
  /** Code and address of recently audited rejections, so that many rejections do not fill the audit log. */
  private readonly recent = new LRUCache<string, true>({ ...upTo(10_000), ttl: auditIntervalMs });

  constructor(private readonly audit: Pick<AuditLog, 'record'>) {}

  record(event: SignInEvent): void {
    this.audit.record({ ...event, action: 'sign-in' });
  }

  /** Records a rejection, unless one with the same code from the same address was recorded less than a minute ago. */
  recordRejection(code: string, event: Pick<SignInEvent, 'userName' | 'target' | 'from'>): void {
    const key = `${code} ${event.from}`;
    if (this.recent.has(key)) return;
    this.recent.set(key, true);
    this.record({ ...event, outcome: 'refused', detail: code });
  }

  recordSignOut(userName: string, from: string): void {
    this.audit.record({ userName, action: 'sign-out', target: '', from, outcome: 'done', detail: '' });
  }
}
