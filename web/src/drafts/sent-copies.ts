import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { meQuery } from '../session/me.ts';
import { showToast } from '../toasts/toasts.ts';
import { type Draft, isSameContent } from './draft.ts';
import { announceDraft } from './draft-channel.ts';
import { removeDraft } from './draft-store.ts';
import { deleteServerDraft, listServerDrafts } from './server-drafts.ts';

/** A draft that became an entry while its first copy may have been on its way to the server. */
interface Sent {
  readonly id: string;
  readonly userName: string | null;
  readonly sentMs: number;
}

const storedName = 'logbook.sentDrafts';
/** Maximum duration of a request. */
const lateMs = 10 * 60_000;
/** Time after which a removal that the service could not answer is tried again. */
const retryMs = 5_000;
/** Maximum time for which the server keeps a draft. */
const keptMs = 90 * 86_400_000;

/**
 * Removes the copy of a sent draft from the server, because it would look like an unsent draft. If the copy arrives
 * later, the next start removes it.
 */
export async function removeLateCopy(id: string, userName: string | null): Promise<void> {
  write([...read(), { id, userName, sentMs: Date.now() }]);
  await removeLateCopies();
}

/** Removes a draft that is an entry already. Returns false if it was changed after it had been sent. */
export async function removeStored({ id, userName }: Draft, problem: string): Promise<boolean> {
  const isSent = ({ attempt, content }: Draft) => attempt !== undefined && isSameContent(attempt.content, content);
  if (!(await removeDraft(id, isSent))) return false;
  announceDraft({ id, revision: undefined });
  void removeLateCopy(id, userName);
  showToast(problem, { tone: 'problem', durationMs: 10_000 });
  return true;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Removes copies that have arrived since. Retries while the service does not answer. */
export async function removeLateCopies(): Promise<void> {
  clearTimeout(timer);
  if (read().length === 0) return;
  const me = await queryClient.ensureQueryData(meQuery).catch(() => undefined);
  if (me?.userName == null) return;
  const { userName: reader } = me;
  const isOwn = ({ userName }: Sent) => (userName ?? reader) === reader;
  const askedMs = Date.now();
  try {
    const there = await listServerDrafts(reader);
    for (const sent of read().filter(isOwn)) {
      if (there.some(({ id }) => id === sent.id)) await deleteServerDraft(sent.id);
      else if (sent.sentMs > askedMs - lateMs) continue;
      write(read().filter(({ id }) => id !== sent.id));
    }
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isTransient) return;
    clearTimeout(timer);
    timer = setTimeout(() => void removeLateCopies(), retryMs);
  }
}

function read(): readonly Sent[] {
  try {
    const all = JSON.parse(localStorage.getItem(storedName) ?? '[]') as Sent[];
    return all.filter(({ sentMs }) => sentMs > Date.now() - keptMs);
  } catch {
    return [];
  }
}

function write(all: readonly Sent[]): void {
  try {
    if (all.length === 0) localStorage.removeItem(storedName);
    else localStorage.setItem(storedName, JSON.stringify(all));
  } catch {
    // A browser that stores nothing removes no late copies.
  }
}
