import { changeContent, type Draft, type DraftContent, isWorthKeeping } from './draft.ts';
import { announceDraft, watchDrafts } from './draft-channel.ts';
import { copyFiles } from './draft-files.ts';
import { changeStored, DraftChangedElsewhere, findDraft, type Kept, storeDraft } from './draft-store.ts';
import { writeJournal, writeJournalPromptly } from './journal.ts';
import { removeEmptied } from './remove-emptied.ts';
import { type Light, noteRevision, ServerCopy } from './server-copy.ts';
import { deleteServerDraft } from './server-drafts.ts';
import { newUuid } from './uuid.ts';
import { whenPageEnds } from './when-page-ends.ts';

/** Maximum time until a change is on the disk of this browser. */
const storeAfterMs = 200;

export interface DraftState {
  readonly draft: Draft;
  readonly light: Light;
  /** Number of contents that came from elsewhere. When it rises, the editor shows the new text. */
  readonly foreign: number;
}

/**
 * A draft that is being written. Each change is in the browser's journal immediately, in its database a moment later,
 * and then on the server. If another tab or machine has changed the same draft, this one continues under a new id.
 */
export class OpenDraft {
  private state: DraftState;
  private readonly listeners = new Set<() => void>();
  /** Revision in the database; undefined: the draft is not stored yet. */
  private storedRevision: string | undefined;
  /** Revisions of this page that the journal may have. Another change of the draft may move them into the database. */
  private readonly unstored = new Set<string>();
  private kept: Kept = 'disk';
  private timer: ReturnType<typeof setTimeout> | undefined;
  private storing: Promise<void> = Promise.resolve();
  private readonly server: ServerCopy;
  private isClosed = false;
  private onLate: ((draft: Draft) => void) | undefined;
  private isShown = false;
  private frame: number | undefined;
  private stopWatching: (() => void) | undefined;

  constructor(
    draft: Draft,
    isStored: boolean,
    /** Called when the text continues under another id. */
    private readonly onForked: (draft: Draft) => void,
    /** Called when another tab has sent or discarded the draft. */
    private readonly onGone: () => void,
  ) {
    this.storedRevision = isStored ? draft.revision : undefined;
    if (isStored) noteRevision(draft);
    this.server = new ServerCopy({
      read: () => this.state.draft,
      onSynced: (id, server) => void this.rememberServer(id, server),
      onForeign: (foreign) => this.adopt(foreign),
      onConflict: () => {
        this.storing = this.storing.then(() => this.fork());
      },
      onLight: () => this.setState({}),
    });
    this.state = { draft, light: this.server.light(draft, isStored, this.kept), foreign: 0 };
  }

  readonly read = (): DraftState => this.state;

  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Follows other tabs, and stores what is typed when the page ends. */
  open(): () => void {
    const stopFlushing = whenPageEnds(() => this.flush());
    this.stopWatching = watchDrafts(({ id, revision, server }) => {
      if (id !== this.state.draft.id) return;
      if (server) this.setState({ draft: { ...this.state.draft, server } });
      else if (revision !== this.state.draft.revision) void this.follow();
    });
    this.isShown = true;
    if (this.isClosed) void this.resume();
    else this.server.start();
    return () => {
      this.isShown = false;
      stopFlushing();
      this.stopWatching?.();
      this.server.stop();
      this.flush();
      void this.removeEmptied();
    };
  }

  /** Removes a draft that was empty when its page was left. */
  private async removeEmptied(): Promise<void> {
    if (this.isClosed || this.storedRevision === undefined || isWorthKeeping(this.state.draft)) return;
    await this.store();
    if (this.isShown || isWorthKeeping(this.state.draft) || !(await removeEmptied(this.state.draft.id))) return;
    this.storedRevision = undefined;
    this.setState({ draft: { ...this.state.draft, server: undefined } });
  }

  get draft(): Draft {
    return this.state.draft;
  }

  /** Applies a change by the user. */
  change(patch: Partial<DraftContent>, others: Partial<Pick<Draft, 'templateName' | 'purpose'>> = {}): void {
    const { draft } = this.state;
    const modifiedMs = Math.max(Date.now(), draft.modifiedMs + 1);
    const changed = { ...draft, ...others, ...changeContent(draft, patch), modifiedMs, revision: newUuid() };
    // The editor shows its text itself; the rest of the page may follow with the next frame.
    const isTextOnly = Object.keys(patch).join() === 'text' && Object.keys(others).length === 0;
    this.setState({ draft: changed }, isTextOnly);
    // The outbox has the draft. When it is taken back, `resume` takes over what was written here.
    if (this.isClosed) this.onLate?.(this.state.draft);
    else this.keep();
  }

  /** Writes the changes into the journal, and soon into the database. */
  private keep(): void {
    if (this.storedRevision === undefined && !isWorthKeeping(this.state.draft)) return;
    this.unstored.add(this.state.draft.revision);
    writeJournalPromptly(this.state.draft);
    this.storeSoon();
  }

  /** Replaces the text from outside the editor, which then shows the new text. */
  readonly replaceText = (text: string): void => this.fill({ text });

  /** Fills in content, such as that of a template; the editor shows its text. */
  fill(patch: Partial<DraftContent>, templateName?: string): void {
    this.change(patch, templateName === undefined ? {} : { templateName });
    this.setState({ foreign: this.state.foreign + 1 });
  }

  /** Sets the owner of the draft, unless it has one. */
  setUser(userName: string | null): void {
    this.server.setUser(userName);
    const { draft } = this.state;
    if (userName !== null && draft.userName === null) this.setState({ draft: { ...draft, userName } });
  }

  /** Resolves when everything written so far is in the database of this browser. */
  async store(): Promise<void> {
    do {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.storing = this.storing.then(() => this.storeNow());
      await this.storing;
      // Something was typed in the meantime.
    } while (this.timer !== undefined);
  }

  /** Stops saving: the draft was sent or discarded. `onLate` receives what is typed until the page has gone. */
  close(onLate?: (draft: Draft) => void): void {
    this.isClosed = true;
    this.onLate = onLate;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.server.stop();
    this.storedRevision = this.state.draft.revision;
  }

  /** Continues after a close: the draft could not be sent. */
  reopen(): void {
    this.isClosed = false;
    this.server.start();
    if (this.storedRevision !== this.state.draft.revision) this.keep();
  }

  /** Continues with a draft that was taken back. One that was sent stays closed: a copy would look unsent. */
  private async resume(): Promise<void> {
    const stored = await findDraft(this.state.draft.id);
    if (!stored || stored.submission || stored.discardedMs !== undefined || !this.isShown) return;
    const { draft } = this.state;
    const isChanged = this.storedRevision !== draft.revision;
    this.storedRevision = stored.revision;
    if (!isChanged) this.setState({ draft: stored, foreign: this.state.foreign + 1 });
    else {
      // Text was typed after the draft was shown again.
      const { content, removedFiles, revision, modifiedMs } = draft;
      this.setState({ draft: { ...stored, content, removedFiles, revision, modifiedMs } });
    }
    this.reopen();
  }

  private storeSoon(): void {
    this.timer ??= setTimeout(() => void this.store(), storeAfterMs);
  }

  /** While a page ends, only writes to the local storage are certain. */
  private flush(): void {
    if (this.isClosed || !this.hasUnstored) return;
    writeJournal(this.state.draft);
    void this.store();
  }

  private async storeNow(): Promise<void> {
    const { draft } = this.state;
    if (this.storedRevision === draft.revision) return;
    const unstored = [...this.unstored];
    try {
      // A later revision may be in the database already, stored together with the answer of the server.
      const isKnown = (revision: string) => revision === this.storedRevision || this.unstored.has(revision);
      this.kept = await storeDraft(draft, this.storedRevision === undefined ? undefined : isKnown);
      this.storedRevision = draft.revision;
      for (const revision of unstored) this.unstored.delete(revision);
      announceDraft({ id: draft.id, revision: draft.revision });
      this.server.pushSoon();
    } catch (error) {
      if (error instanceof DraftChangedElsewhere) await this.fork();
      else this.kept = writeJournal(draft) ? 'disk' : 'page';
    }
    this.setState({});
  }

  private async rememberServer(id: string, server: NonNullable<Draft['server']>): Promise<void> {
    // If the text has since continued under another id, the server does not have it under that id.
    if (id === this.state.draft.id) this.setState({ draft: { ...this.state.draft, server } });
    // Wait for the store in progress: it would overwrite the state of the server with that of the database.
    let stored: Draft | undefined;
    this.storing = this.storing.then(async () => {
      // A text from before the sign-in has its owner from now on, and is not offered to the next user of this browser.
      stored = await changeStored(id, (one) => ({ ...one, server, userName: one.userName ?? server.userName }));
    });
    await this.storing;
    // Other tabs would still send the previous entity tag.
    if (stored) announceDraft({ id, revision: stored.revision, server });
    // The draft was sent or removed while this copy was on its way: the copy would look like an unsent draft.
    else if (this.isClosed || !this.isShown) await deleteServerDraft(id).catch(() => {});
  }

  /** Whether the user has typed something that the database has not stored yet. */
  private get hasUnstored(): boolean {
    if (this.timer !== undefined) return true;
    return this.storedRevision !== undefined && this.storedRevision !== this.state.draft.revision;
  }

  /** Shows what another tab has stored. Returns false when the draft was sent or discarded. */
  async follow(): Promise<boolean> {
    await this.readStored().catch(() => {});
    return !this.isClosed;
  }

  /** Reads what another tab has stored, unless unstored text was typed here. */
  private async readStored(): Promise<void> {
    if (this.hasUnstored) return;
    const stored = await findDraft(this.state.draft.id);
    if (this.storedRevision !== undefined && (!stored || stored.submission || stored.discardedMs !== undefined)) {
      if (this.isClosed) return;
      this.close();
      this.onGone();
      return;
    }
    if (!stored || this.hasUnstored) return;
    if (stored.revision === this.state.draft.revision) return this.followPurpose(stored);
    this.storedRevision = stored.revision;
    noteRevision(stored);
    this.setState({ draft: stored, foreign: this.state.foreign + 1 });
  }

  /** An earlier attempt to send this text created the entry: the text is now an edit of it. */
  private followPurpose({ purpose, attempt, server }: Draft): void {
    if (purpose.kind === this.state.draft.purpose.kind) return;
    this.setState({ draft: { ...this.state.draft, purpose, attempt, server } });
    this.server.pushSoon();
  }

  /** Shows the content from another machine, because nothing was changed here. */
  private adopt(foreign: Draft): void {
    this.setState({ draft: foreign, foreign: this.state.foreign + 1 });
    void this.store();
  }

  /** Continues as a separate draft, so that neither text overwrites the other. */
  private async fork(): Promise<void> {
    const { server: _, attempt: __, submission: ___, ...draft } = this.state.draft;
    const forked: Draft = { ...draft, id: newUuid(), modifiedMs: Date.now() };
    this.storedRevision = undefined;
    this.setState({ draft: forked });
    this.onForked(forked);
    await copyFiles(draft.id, forked).catch(() => {});
    await this.storeNow();
  }

  private setState(patch: Partial<DraftState>, isLazy = false): void {
    const next = { ...this.state, ...patch };
    const isStored = this.storedRevision === next.draft.revision;
    this.state = { ...next, light: this.server.light(next.draft, isStored, this.kept) };
    if (!isLazy) this.notify();
    else this.frame ??= requestAnimationFrame(this.notify);
  }

  private readonly notify = () => {
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.frame = undefined;
    for (const listener of this.listeners) listener();
  };
}
