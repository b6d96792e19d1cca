import type { EntryStore } from '../../entries/entry-store.port.js';
import type { LeaseCheck } from '../../kernel/lease.port.js';
import type { Committed, Transaction } from '../storage.port.js';
import type { Statements } from './statements.port.js';
import { tokenReader, tokenStore } from './tables/api-tokens.js';
import { attachmentReader, attachmentStore, type EntryFileReader } from './tables/attachments.js';
import { auditReader, auditStore } from './tables/audit.js';
import { catalogReader, catalogStore } from './tables/catalog.js';
import { changeFeed, changeFeedReader } from './tables/changes.js';
import { clockReader, clockStore } from './tables/clock.js';
import { deviceValuesReader, deviceValuesStore } from './tables/device-values.js';
import { draftReader, draftStore } from './tables/drafts.js';
import { importReader, importStore } from './tables/imports.js';
import { inboxReader, inboxStore } from './tables/inbox.js';
import { ledgerReader, ledgerStore } from './tables/ledger.js';
import { preferenceReader, preferenceStore } from './tables/preferences.js';
import { redactionReader, redactionStore } from './tables/redactions.js';
import { repeatReader, repeatStore } from './tables/repeats.js';
import { sessionReader, sessionStore } from './tables/sessions.js';
import { subscriberReader, subscriberStore } from './tables/subscribers.js';
import { templateReader, templateStore } from './tables/templates.js';
import type { WriteChanges, WriteScope } from './write-scope.port.js';

/** Stores that one write may use. After the write, all of them throw, including those obtained earlier. */
export abstract class SqlTransaction implements Transaction {
  /** Stores created on first use: a write uses few of them, but some of them often. */
  protected readonly made: { -readonly [K in keyof Transaction]?: Transaction[K] } = {};

  abstract readonly entries: EntryStore;
  abstract readonly leases: LeaseCheck;

  /** @param statements throw after the write has ended, as `scope` does */
  constructor(
    protected readonly statements: Statements,
    protected readonly scope: WriteScope,
    private readonly files: EntryFileReader,
  ) {}

  /** Changes made by the write so far. */
  get changed(): WriteChanges {
    return this.scope.changed;
  }

  get attachments() {
    this.made.attachments ??= attachmentStore(this.statements, this.files, this.scope);
    return this.made.attachments;
  }

  get catalog() {
    this.made.catalog ??= catalogStore(this.statements, this.scope);
    return this.made.catalog;
  }

  get templates() {
    this.made.templates ??= templateStore(this.statements, this.scope);
    return this.made.templates;
  }

  get drafts() {
    this.made.drafts ??= draftStore(this.statements);
    return this.made.drafts;
  }

  get deviceValues() {
    this.made.deviceValues ??= deviceValuesStore(this.statements);
    return this.made.deviceValues;
  }

  get imports() {
    this.made.imports ??= importStore(this.statements);
    return this.made.imports;
  }

  get inbox() {
    this.made.inbox ??= inboxStore(this.statements);
    return this.made.inbox;
  }

  get ledger() {
    this.made.ledger ??= ledgerStore(this.statements, this.scope);
    return this.made.ledger;
  }

  get preferences() {
    this.made.preferences ??= preferenceStore(this.statements);
    return this.made.preferences;
  }

  get redactions() {
    this.made.redactions ??= redactionStore(this.statements, this.scope);
    return this.made.redactions;
  }

  get repeats() {
    this.made.repeats ??= repeatStore(this.statements);
    return this.made.repeats;
  }

  get sessions() {
    this.made.sessions ??= sessionStore(this.statements);
    return this.made.sessions;
  }

  get tokens() {
    this.made.tokens ??= tokenStore(this.statements);
    return this.made.tokens;
  }

  get audit() {
    this.made.audit ??= auditStore(this.statements, this.scope);
    return this.made.audit;
  }

  get clock() {
    this.made.clock ??= clockStore(this.statements);
    return this.made.clock;
  }

  get subscribers() {
    this.made.subscribers ??= subscriberStore(this.statements);
    return this.made.subscribers;
  }

  get feed() {
    this.made.feed ??= changeFeed(this.statements, this.scope);
    return this.made.feed;
  }
}

/** Returns readers of everything that the databases store in the same way. */
export function sharedReaders(
  statements: Statements,
  files: EntryFileReader,
): Omit<Committed, 'entries' | 'entryWrites'> {
  return {
    attachments: attachmentReader(statements, files),
    catalog: catalogReader(statements),
    templates: templateReader(statements),
    drafts: draftReader(statements),
    deviceValues: deviceValuesReader(statements),
    imports: importReader(statements),
    inbox: inboxReader(statements),
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
