import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { serverNow } from '../api/server-clock.ts';
import { meQuery } from '../session/me.ts';
import { showToast } from '../toasts/toasts.ts';
import { type Draft, isSameContent } from './draft.ts';
import { announceDraft } from './draft-channel.ts';
import { removeDraft } from './draft-store.ts';
import { deleteServerDraft, listServerDrafts } from './server-drafts.ts';

/** A sent or discarded draft, whose copy on the server must go. The copy may still be on its way there. */
interface Removal {
  readonly id: string;
  readonly userName: string | null;
  /** Time from which the copy may be removed. */
  readonly sinceMs: number;
  /** Time of the service at which a draft was discarded. Text that is written later, elsewhere, stays. */
  readonly discardedMs?: number | undefined;
}

const storedName = 'logbook.removedDrafts';
/** Maximum duration of a request. */
const lateMs = 10 * 60_000;
/** Time after which a removal that the service could not answer is tried again. */
const retryMs = 5_000;
/** Maximum time for which the server keeps a draft. */
const keptMs = 90 * 86_400_000;

/**
 * Removes the copy of a draft from the server, because it would look like an unsent draft. If the copy arrives later,
 * or the service cannot be reached, this page or the next start removes it.
 */
export async function removeCopy(id: string, userName: string | null): Promise<void> {
  await remove({ id, userName, sinceMs: Date.now() });
}

/**
 * Removes the copy of a discarded draft from the server.
 * @param agoMs time since it was discarded
 * @param undoMs time for which `keepCopy` can prevent the removal
 */
export async function removeDiscardedCopy(
  { id, userName }: Pick<Draft, 'id' | 'userName'>,
  { agoMs = 0, undoMs = 0 }: { readonly agoMs?: number; readonly undoMs?: number },
): Promise<void> {
  await remove({ id, userName, sinceMs: Date.now() + undoMs, discardedMs: serverNow() - agoMs });
}

async function remove(removal: Removal): Promise<void> {
  write([...read(), removal]);
  await removeCopies();
}

/** Keeps the copy of a discarded draft. Returns false if it was removed already. */
export function keepCopy(id: string): boolean {
  const all = read();
  const rest = all.filter((one) => one.id !== id || one.discardedMs === undefined);
  write(rest);
  return rest.length < all.length;
}

export function isCopyRemoved(id: string): boolean {
  return read().some((one) => one.id === id);
}

/** Removes a draft that is an entry already. Returns false if it was changed after it had been sent. */
export async function removeStored({ id, userName }: Draft, problem: string): Promise<boolean> {
  const isSent = ({ attempt, content }: Draft) => attempt !== undefined && isSameContent(attempt.content, content);
  if (!(await removeDraft(id, isSent))) return false;
  announceDraft({ id, revision: undefined });
  void removeCopy(id, userName);
  showToast(problem, { tone: 'problem', durationMs: 10_000 });
  return true;
}

let timer: ReturnType<typeof setTimeout> | undefined;

function removeAfter(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void removeCopies(), ms);
}

/** Removes the copies that have arrived. Tries again while copies may arrive or the service does not answer. */
export async function removeCopies(): Promise<void> {
  clearTimeout(timer);
  if (read().length === 0) return;
  const me = await queryClient.ensureQueryData(meQuery).catch(() => undefined);
  if (me?.userName == null) return;
  const { userName: reader } = me;
  const own = () => read().filter(({ userName }) => (userName ?? reader) === reader);
  const askedMs = Date.now();
  const isDue = ({ sinceMs }: Removal) => sinceMs <= askedMs;
  try {
    const there = own().some(isDue) ? await listServerDrafts(reader) : [];
    for (const { id, sinceMs, discardedMs = Infinity } of own().filter(isDue)) {
      const copy = there.find((one) => one.id === id);
      if (copy && copy.modifiedDate <= discardedMs + lateMs) await deleteServerDraft(id);
      else if (!copy && sinceMs > askedMs - lateMs) continue;
      write(read().filter((one) => one.id !== id));
    }
    const waits = own().map((one) => (isDue(one) ? lateMs : one.sinceMs - askedMs));
    if (waits.length > 0) removeAfter(Math.min(lateMs, ...waits));
  } catch (error) {
    if (error instanceof ApiError && error.isTransient) removeAfter(retryMs);
  }
}

/** The removals, if the browser could not store them: they last as long as the page. */
let unstored: readonly Removal[] | undefined;

function read(): readonly Removal[] {
  return (unstored ?? readStored()).filter(({ sinceMs }) => sinceMs > Date.now() - keptMs);
}

function readStored(): readonly Removal[] {
  try {
    return JSON.parse(localStorage.getItem(storedName) ?? '[]');
  } catch {
    return [];
  }
}

function write(all: readonly Removal[]): void {
  try {
    if (all.length === 0) localStorage.removeItem(storedName);
    else localStorage.setItem(storedName, JSON.stringify(all));
    unstored = undefined;
  } catch {
    unstored = all;
  }
}
