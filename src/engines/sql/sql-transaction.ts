import type { EntryStore } from '../../entries/entry-store.port.js';
import type { LeaseCheck } from '../../kernel/lease.port.js';
import type { Commit } from '../../kernel/unit-of-work.js';
import type { Committed, Transaction } from '../storage.port.js';
import type { Statements } from './statements.port.js';
import { tokenReader, tokenStore } from './tables/api-tokens.js';
import { attachmentReader, attachmentStore, type EntryFileReader } from './tables/attachments.js';
import { auditReader, auditStore } from './tables/audit.js';
import { catalogReader, catalogStore } from './tables/catalog.js';
import { changeFeed, changeFeedReader } from './tables/changes.js';
import { clockReader, clockStore } from './tables/clock.js';
import { draftReader, draftStore } from './tables/drafts.js';
import { importReader, importStore } from './tables/imports.js';
import { ledgerReader, ledgerStore } from './tables/ledger.js';
import { preferenceReader, preferenceStore } from './tables/preferences.js';
import { redactionReader, redactionStore } from './tables/redactions.js';
import { repeatReader, repeatStore } from './tables/repeats.js';
import { sessionReader, sessionStore } from './tables/sessions.js';
import { subscriberReader, subscriberStore } from './tables/subscribers.js';
import { templateReader, templateStore } from './tables/templates.js';
import type { WriteScope } from './write-scope.port.js';

/** The stores that one write may use. Once it has ended, all of them throw, also those taken from it before. */
export abstract class SqlTransaction implements Transaction {
  /** Changes that the write has made so far. */
  readonly changed: { -readonly [K in keyof Commit]: Commit[K] } = {
    entries: false,
    feed: false,
    files: false,
    catalog: false,
  };

  abstract readonly entries: EntryStore;
  abstract readonly leases: LeaseCheck;

  /** @param statements throw when the write has ended, as `scope` does */
  constructor(
    protected readonly statements: Statements,
    private readonly scope: WriteScope,
    private readonly files: EntryFileReader,
  ) {}

  get attachments() {
    return attachmentStore(this.statements, this.files, this.changed, this.scope);
  }

  get catalog() {
    return catalogStore(this.statements, this.changed, this.scope);
  }

  get templates() {
    return templateStore(this.statements, this.changed, this.scope);
  }

  get drafts() {
    return draftStore(this.statements);
  }

  get imports() {
    return importStore(this.statements);
  }

  get ledger() {
    return ledgerStore(this.statements, this.scope);
  }

  get preferences() {
    return preferenceStore(this.statements);
  }

  get redactions() {
    return redactionStore(this.statements, this.scope);
  }

  get repeats() {
    return repeatStore(this.statements);
  }

  get sessions() {
    return sessionStore(this.statements);
  }

  get tokens() {
    return tokenStore(this.statements);
  }

  get audit() {
    return auditStore(this.statements, this.scope);
  }

  get clock() {
    return clockStore(this.statements);
  }

  get subscribers() {
    return subscriberStore(this.statements);
  }

  get feed() {
    return changeFeed(this.statements, this.changed, this.scope);
  }
}

/** Reads of everything that the databases store in the same way. */
export function sharedReaders(
  statements: Statements,
  files: EntryFileReader,
): Omit<Committed, 'entries' | 'entryWrites'> {
  return {
    attachments: attachmentReader(statements, files),
    catalog: catalogReader(statements),
    templates: templateReader(statements),
    drafts: draftReader(statements),
    imports: importReader(statements),
    ledger: ledgerReader(statements),
    preferences: preferenceReader(statements),
    redactions: redactionReader(statements),
    repeats: repeatReader(statements),
    sessions: sessionReader(statements),
    tokens: tokenReader(statements),
    audit: auditReader(statements),
    clock: clockReader(statements),
    subscribers: subscriberReader(statements),
    feed: changeFeedReader(statements),
  };
}
