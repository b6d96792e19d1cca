import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.ts';
import { parseEntryId } from '../api/entry-id.ts';
import { queryClient } from '../api/query-client.ts';
import { findBegunDraft, newDraft, replyTo } from '../drafts/begin-draft.ts';
import { type Draft, isWorthKeeping } from '../drafts/draft.ts';
import { findDraft, storeDraft } from '../drafts/draft-store.ts';
import { fetchBase, fetchVersion } from '../drafts/entry-requests.ts';
import { lastLogbooks } from '../drafts/last-logbooks.ts';
import { type DraftState, OpenDraft } from '../drafts/open-draft.ts';
import { bringBack, takeBack } from '../drafts/outbox.ts';
import { keepCopy } from '../drafts/removed-copies.ts';
import { fetchServerDraft, listServerDrafts } from '../drafts/server-drafts.ts';
import { newUuid } from '../drafts/uuid.ts';
import { bootstrapQuery, meQuery } from '../session/me.ts';
import { showToast } from '../toasts/toasts.ts';
import { findTemplate, type Prefill, prefilledContent } from './prefill.ts';
import { fillFrom } from './template-picker.tsx';

export interface WriteSearch {
  /** The entry to which this is a reply. */
  readonly reply?: string | undefined;
  /** The entry to edit. */
  readonly edit?: string | undefined;
  /** The version of the edited entry to begin with; its current version otherwise. */
  readonly version?: string | undefined;
  /** Content with which a new entry begins. */
  readonly prefill?: Prefill | undefined;
}

/** Maximum time for which the service delays a new entry, which then begins without a logbook. */
const logbookAfterMs = 1_000;
/** Time after which a text that the service could not deliver is requested again. */
const retryMs = 5_000;
/** Marks the addresses of drafts that were begun in this browser, also after a reload. */
const begunHere = { isDraftBegunHere: true };

type Opening = { readonly open: OpenDraft; readonly key: string } | { readonly error: unknown } | undefined;

/** Opens the draft with that id; without an id, begins a draft as the address asks. Undefined while it is loaded. */
export function useOpenedDraft(id: string | undefined, search: WriteSearch): Opening {
  const navigate = useNavigate();
  const { t } = useTranslation('write');
  const [opening, setOpening] = useState<Opening>();
  const openedId = useRef<string>(undefined);
  const attempt = useRetry(opening && 'error' in opening ? opening.error : undefined);
  useEffect(
    () => () => {
      openedId.current = undefined;
    },
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads it again
  useEffect(() => {
    const { reply, edit, version, prefill } = search;
    if (id !== undefined && openedId.current === id) return undefined;
    let isCurrent = true;
    // A pending template stays in the address, so that a reload requests it again.
    const goTo = (draft: Draft, template?: string) => {
      openedId.current = draft.id;
      const to = `/write/${draft.id}` as '/';
      const shown = { reply, edit, version, template } as object;
      void navigate({ to, search: shown, state: begunHere as object, replace: true });
    };
    const onForked = (draft: Draft) => {
      goTo(draft);
      showToast(t('forked'), { tone: 'problem', durationMs: 10_000 });
    };
    const onGone = () => {
      void navigate({ to: '/' });
      showToast(t('goneElsewhere'));
    };
    void load(id, search).then(
      ({ draft, isStored, isGone }) => {
        if (!isCurrent) return;
        if (isGone) showToast(t('draftGone'), { tone: 'problem', durationMs: 10_000 });
        const open = new OpenDraft(draft, isStored, onForked, onGone);
        setOpening({ open, key: newUuid() });
        if (!isStored && version !== undefined) {
          // Store the draft now: it differs from the entry from the beginning.
          void open.store();
          showToast(t('restored', { version }), { durationMs: 10_000 });
        }
        // Store the draft now, because the address no longer has its content.
        if (!isStored && prefill !== undefined && isWorthKeeping(draft)) void open.store();
        if (draft.id === id) openedId.current = id;
        else goTo(draft, prefill?.template);
        if (prefill?.template === undefined) return;
        const isShown = () => openedId.current === open.draft.id;
        void fillFromTemplate(open, prefill.template, isShown).then(() => isShown() && goTo(open.draft));
      },
      (error: unknown) => isCurrent && setOpening({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [id, search, navigate, t, attempt]);
  return opening;
}

/** Returns the number of retries. It rises a while after a failure that a retry may resolve. */
function useRetry(error: unknown): number {
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!(error instanceof ApiError && error.isTransient)) return undefined;
    const timer = setTimeout(() => setAttempt((number) => number + 1), retryMs);
    return () => clearTimeout(timer);
  }, [error]);
  return attempt;
}

export function useDraftState(open: OpenDraft): DraftState {
  useEffect(() => open.open(), [open]);
  return useSyncExternalStore(open.watch, open.read);
}

interface Loaded {
  readonly draft: Draft;
  readonly isStored: boolean;
  /** Whether the address led to another draft, which no longer exists. */
  readonly isGone?: boolean;
}

async function load(id: string | undefined, search: WriteSearch): Promise<Loaded> {
  if (id === undefined) return begin(newUuid(), search);
  // Opening a discarded draft restores it.
  keepCopy(id);
  let stored = await findDraft(id);
  if (stored?.submission) await takeBack(id);
  if (stored?.discardedMs !== undefined) await bringBack(id);
  // A draft that was sent or removed in the meantime is gone.
  if (stored) stored = await findDraft(id);
  if (stored) return { draft: stored, isStored: true };
  const isBegunHere = (history.state as Partial<typeof begunHere> | null)?.isDraftBegunHere === true;
  const found = await loadFromServer(id).catch((error: unknown) => {
    // A draft of another computer must not look empty. One that was begun here has no text yet.
    if (!isBegunHere) throw error;
    // If the server does have a text, the address still leads to it.
    return 'unknown' as const;
  });
  if (found === 'unknown') return begin(id, search);
  // Late copies of a draft that was sent are removed from the server, so another text must not get its id.
  return found ?? { ...(await begin(newUuid(), search)), isGone: !isBegunHere };
}

/** Returns the draft; undefined if the server has none, and `unknown` as long as no user is signed in. */
async function loadFromServer(id: string): Promise<Loaded | 'unknown' | undefined> {
  const { userName } = await queryClient.ensureQueryData(meQuery);
  // The draft begins empty without a session; it is compared with the server later.
  if (userName === null) return 'unknown';
  const all = await listServerDrafts(userName);
  const found = all.some((one) => one.id === id) ? await fetchServerDraft(id, userName) : undefined;
  if (!found) return undefined;
  const { purpose, content, revision, modifiedMs, templateName, removedFiles } = found.draft;
  const server = { userName, etag: found.etag, revision };
  const draft = { id, purpose, content, revision, modifiedMs, templateName, removedFiles, userName, server };
  await storeDraft(draft);
  return { draft, isStored: true };
}

async function begin(id: string, search: WriteSearch): Promise<Loaded> {
  const edited = parseEntryId(search.edit);
  if (edited !== undefined && search.version !== undefined) {
    const [{ entry: _, ...base }, content] = await Promise.all([
      fetchBase(edited),
      fetchVersion(edited, search.version),
    ]);
    return { draft: newDraft({ purpose: { kind: 'edit', base }, content }, null, id), isStored: false };
  }
  if (edited !== undefined) {
    const earlier = await findEdit(edited, await knownUser());
    if (earlier) return { draft: earlier, isStored: true };
    const { entry: _, ...base } = await fetchBase(edited);
    return { draft: newDraft({ purpose: { kind: 'edit', base }, content: base.content }, null, id), isStored: false };
  }
  const parent = parseEntryId(search.reply);
  if (parent !== undefined) {
    const { content } = await fetchBase(parent);
    return { draft: newDraft(replyTo(parent, content.title, content.logbooks), null, id), isStored: false };
  }
  const { prefill = {} } = search;
  const content = prefilledContent(prefill);
  // A template may name the logbook.
  const isNamedLater = prefill.template !== undefined && content.logbooks.length === 0;
  const logbooks = isNamedLater ? [] : await firstLogbooks(content.logbooks);
  const beginning = { purpose: { kind: 'new' as const }, content: { ...content, logbooks } };
  return { draft: newDraft(beginning, null, id), isStored: false };
}

/** Fills the draft from the template once it has loaded, unless its page has been left. Written text stays. */
async function fillFromTemplate(open: OpenDraft, name: string, isShown: () => boolean): Promise<void> {
  const template = await findTemplate(name);
  const logbooks = await firstLogbooks(template?.content.logbooks ?? []);
  if (!isShown()) return;
  const { content } = open.draft;
  if (template) open.fill(fillFrom(content, { ...template.content, logbooks }), template.name);
  else if (content.logbooks.length === 0) open.change({ logbooks });
}

/**
 * Returns the logbooks of a new entry, as far as the user may write to them. Several names come from another program,
 * and stay; a single one may be the filter of the list.
 */
async function firstLogbooks([asked, ...others]: readonly string[]): Promise<readonly string[]> {
  if (asked !== undefined && others.length > 0) return [asked, ...others];
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), logbookAfterMs));
  const userName = await Promise.race([knownUser(), late]);
  const me = queryClient.getQueryData(meQuery.queryKey);
  const known = queryClient.getQueryData(bootstrapQuery.queryKey)?.configuration.logbooks;
  const closed = userName === null ? undefined : me?.logbooks.filter(({ write }) => !write);
  return (asked === undefined ? lastLogbooks() : [asked]).flatMap((name) => {
    // Searches ignore case, so the filter may be spelled differently.
    const found = known ? known.find((one) => one.name.toLowerCase() === name.toLowerCase())?.name : name;
    return found === undefined || closed?.some((one) => one.name === found) ? [] : [found];
  });
}

/**
 * Returns the draft in which this user is already editing the entry; drafts of other users in this browser do not
 * count.
 */
async function findEdit(entryId: number, userName: string | null): Promise<Draft | undefined> {
  return findBegunDraft(userName, ({ purpose }) => purpose.kind === 'edit' && purpose.base.entryId === entryId);
}

/** Returns the signed-in user, as far as it is known without a network. */
async function knownUser(): Promise<string | null> {
  await queryClient.ensureQueryData(meQuery).catch(() => undefined);
  return queryClient.getQueryData(meQuery.queryKey)?.userName ?? null;
}
