import { ApiError } from '../api/api-error.ts';
import { onRecovered } from '../offline/connection.ts';
import { type Draft, isOwn, isWorthKeeping, replaceContent } from './draft.ts';
import type { Kept } from './draft-store.ts';
import { fetchServerDraft, putServerDraft, type ServerDraft } from './server-drafts.ts';

/** Storage state of the text. */
export interface Light {
  /**
   * `none`: there is nothing to keep. `server` and `page`: the browser stores nothing; the server has it, or only the
   * page.
   */
  readonly kind: 'none' | 'both' | 'here' | 'offline' | 'signIn' | 'refused' | 'server' | 'page';
  readonly atMs: number;
  readonly problem?: string | undefined;
  /** Code of the error with which the server refused the text. */
  readonly code?: string | undefined;
}

interface ServerCopyDeps {
  readonly read: () => Draft;
  /** Called when the server has the revision of the draft with this id, which may have been replaced since. */
  readonly onSynced: (id: string, server: NonNullable<Draft['server']>) => void;
  /** Called when the server has newer content and nothing was changed here. */
  readonly onForeign: (draft: Draft) => void;
  /** Called when both the server and this page have new content. */
  readonly onConflict: () => void;
  readonly onLight: () => void;
}

const pushAfterMs = 1_000;
const maxRetryMs = 30_000;
/** Time after which a copy that has not arrived is reported as delayed. */
const slowAfterMs = 8_000;

type Fault = { readonly kind: 'offline' | 'refused' | 'signIn'; readonly problem: string; readonly code?: string };

/**
 * Revisions that this page has sent to the server or continued from, by draft. The answer may be lost, or arrive after
 * the draft was opened again: the server then has older text of this browser, not a text of someone else.
 */
const ownRevisions = new Map<string, Set<string>>();
/** Maximum number of revisions that are remembered for a draft, because another tab may write it for hours. */
const maxRevisions = 100;
/** Number of the last copy of this page that the server has confirmed, by draft. */
const confirmed = new Map<string, number>();
let copies = 0;

/** Notes the stored revision that this page continues from. Another tab may have sent it to the server. */
export function noteRevision({ id, revision }: Draft): void {
  const latest = [...(ownRevisions.get(id) ?? []), revision].slice(-maxRevisions);
  ownRevisions.set(id, new Set(latest));
}

/** Keeps the server's copy of a draft up to date, for the user who is signed in. */
export class ServerCopy {
  /** Undefined until it is known who is signed in. */
  private userName: string | null | undefined;
  private wasSignedOut = false;
  private fault: Fault | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pushing: Promise<void> | undefined;
  private retryMs = pushAfterMs;
  private isOpen = false;
  private checkedFor: string | undefined;
  private stopWatching: (() => void) | undefined;

  constructor(private readonly deps: ServerCopyDeps) {}

  start(): void {
    this.isOpen = true;
    addEventListener('online', this.retry);
    this.stopWatching = onRecovered(this.retry);
    void this.check();
  }

  stop(): void {
    this.isOpen = false;
    clearTimeout(this.timer);
    this.timer = undefined;
    removeEventListener('online', this.retry);
    this.stopWatching?.();
  }

  setUser(userName: string | null): void {
    if (this.userName === userName) return;
    this.userName = userName;
    this.fault = undefined;
    // A text written without a session goes to the server after the next sign-in, even by the same user.
    if (userName === null) {
      this.checkedFor = undefined;
      this.wasSignedOut = true;
    }
    this.deps.onLight();
    if (this.isOpen) void this.check();
  }

  light(draft: Draft, isStored: boolean, kept: Kept): Light {
    const atMs = draft.modifiedMs;
    if (!isStored && !isWorthKeeping(draft)) return { kind: 'none', atMs };
    if (kept === 'page') return { kind: this.isSynced(draft) ? 'server' : 'page', atMs };
    if (this.isSynced(draft)) return { kind: 'both', atMs };
    if (this.userName === null || !this.isOwn(draft)) return { kind: 'signIn', atMs };
    if (this.fault) return { ...this.fault, atMs };
    return { kind: 'here', atMs };
  }

  pushSoon(): void {
    if (!this.isOpen || typeof this.userName !== 'string' || !this.isOwn(this.deps.read())) return;
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        void this.push();
      },
      this.fault ? this.retryMs : pushAfterMs,
    );
  }

  private readonly retry = () => {
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.push();
  };

  private isSynced({ server, revision }: Draft): boolean {
    return server !== undefined && server.revision === revision && server.userName === this.userName;
  }

  /** Whether the text belongs to the signed-in user. It is never stored under another user's name. */
  private isOwn(draft: Draft): boolean {
    return isOwn(draft, this.userName ?? null);
  }

  /** Compares with the server once, when the draft is opened or someone signs in. */
  private async check(): Promise<void> {
    const { userName } = this;
    if (typeof userName !== 'string') return;
    // The draft may have been changed while it was closed.
    if (this.checkedFor === userName) return this.pushMissing();
    this.checkedFor = userName;
    const draft = this.deps.read();
    // The address may have come from another computer, whose text could not be read without a session.
    const mayBeElsewhere = this.wasSignedOut && !isWorthKeeping(draft);
    // As far as this browser knows, the server never had the draft; if it has, storing it fails.
    if (draft.server?.userName !== userName && !mayBeElsewhere) return this.pushMissing();
    try {
      const found = await this.fetchLatest(userName);
      if (found) this.compare(found.draft, found.etag, userName);
      else this.pushMissing();
    } catch (error) {
      this.checkedFor = undefined;
      this.setFault(error);
    }
  }

  /** Stores a draft that the server lacks, if it was changed here. Otherwise, another machine may have sent it. */
  private pushMissing(): void {
    const draft = this.deps.read();
    if (isWorthKeeping(draft) && !this.isSynced(draft)) this.pushSoon();
  }

  /**
   * Fetches the copy of the server. Repeats it if a later copy was confirmed, or the draft got another id, before
   * the answer arrived.
   */
  private async fetchLatest(userName: string): ReturnType<typeof fetchServerDraft> {
    for (;;) {
      const { id, server } = this.deps.read();
      const found = await fetchServerDraft(id, userName);
      const draft = this.deps.read();
      if (draft.id === id && draft.server?.etag === server?.etag) return found;
    }
  }

  private compare(theirs: ServerDraft, etag: string, userName: string): void {
    const draft = this.deps.read();
    const server = { userName, etag, revision: theirs.revision };
    const isChangedHere = draft.server?.revision !== draft.revision && isWorthKeeping(draft);
    if (theirs.revision === draft.revision) this.deps.onSynced(draft.id, server);
    else if (!isChangedHere) this.deps.onForeign(fromServer(draft, theirs, server));
    else if (theirs.revision === draft.server?.revision || ownRevisions.get(draft.id)?.has(theirs.revision)) {
      this.deps.onSynced(draft.id, server);
      this.pushSoon();
    } else this.deps.onConflict();
  }

  private async push(): Promise<void> {
    const { userName } = this;
    if (!this.isOpen || typeof userName !== 'string' || this.pushing) return;
    const draft = this.deps.read();
    if (this.isSynced(draft) || !this.isOwn(draft)) return;
    // An untouched draft was never sent, so the server has no copy to change.
    if (!isWorthKeeping(draft) && draft.server === undefined && !ownRevisions.has(draft.id)) return;
    this.pushing = this.put(draft, userName);
    await this.pushing;
    this.pushing = undefined;
    if (!this.isSynced(this.deps.read()) && this.fault?.kind !== 'refused') this.pushSoon();
  }

  private async put(draft: Draft, userName: string): Promise<void> {
    const known = draft.server?.userName === userName ? draft.server.etag : undefined;
    const slow = setTimeout(() => this.setFault(undefined), slowAfterMs);
    try {
      const etag = await putRevision(draft, known, userName);
      this.fault = undefined;
      this.retryMs = pushAfterMs;
      if (etag !== undefined) this.deps.onSynced(draft.id, { userName, etag, revision: draft.revision });
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) await this.resolve(userName);
      else this.setFault(error);
    } finally {
      clearTimeout(slow);
    }
  }

  /** Resolves a conflict with a copy on the server that this page did not know. */
  private async resolve(userName: string): Promise<void> {
    try {
      const found = await this.fetchLatest(userName);
      if (found) this.compare(found.draft, found.etag, userName);
      // The server has no copy once the draft is sent.
      else if (this.isOpen) {
        // Text typed in the meantime is not sent yet.
        const draft = this.deps.read();
        const etag = await putRevision(draft, undefined, userName);
        if (etag !== undefined) this.deps.onSynced(draft.id, { userName, etag, revision: draft.revision });
      }
    } catch (error) {
      this.setFault(error);
    }
  }

  private setFault(error: unknown): void {
    const fault = error instanceof ApiError ? error : undefined;
    this.retryMs = Math.min(this.retryMs * 2, maxRetryMs);
    // Repeated, because another tab may have signed in before the page noticed.
    if (fault?.status === 401) this.fault = { kind: 'signIn', problem: fault.message };
    else if (!fault || fault.isTransient) this.fault = { kind: 'offline', problem: fault?.message ?? String(error) };
    else this.fault = { kind: 'refused', problem: fault.message, code: fault.code };
    this.deps.onLight();
    if (this.fault?.kind !== 'refused') this.pushSoon();
  }
}

/**
 * Stores the draft on the server. Remembers beforehand that this page has sent it. Returns undefined if a later copy
 * was confirmed first: the server has that one.
 */
async function putRevision(draft: Draft, etag: string | undefined, userName: string): Promise<string | undefined> {
  const { id, revision } = draft;
  noteRevision(draft);
  copies += 1;
  const copy = copies;
  const stored = await putServerDraft(draft, etag, userName);
  if (copy < (confirmed.get(id) ?? 0)) return undefined;
  confirmed.set(id, copy);
  // The server no longer has any of the earlier revisions.
  ownRevisions.set(id, new Set([revision]));
  return stored;
}

function fromServer(draft: Draft, theirs: ServerDraft, server: Draft['server']): Draft {
  const { purpose, revision, modifiedMs, templateName } = theirs;
  return { ...draft, ...replaceContent(draft, theirs), purpose, revision, modifiedMs, templateName, server };
}
