import { api, dataOf } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import type { Hit, SearchPage } from '../api/types.ts';
import { levelLook } from '../components/level.tsx';
import { onSent } from '../drafts/sent-entries.ts';
import { queryOf } from '../find/query-terms.ts';
import { listenLive } from '../live/live-connection.ts';
import { bootstrapQuery } from '../session/me.ts';
import { readSettings } from '../settings/settings.ts';
import { alarm, readyAlarm } from './alarm.ts';
import { claimAlert } from './alert-claims.ts';
import { showNotice } from './notices.ts';

/** Entries that arrive within this time share one request. */
const gatherMs = 300;
/** Minimum time between two requests: longer than an alarm lasts. */
const restMs = 2_000;
/** Delay before a failed request is repeated, so that no alarm is lost. */
const retryMs = 5_000;
/** Maximum number of notifications at a time; the list has all entries. */
const maxNotices = 3;
const readSize = 20;

/** Announces each new Urgent entry once, in one of the tabs of this browser. Returns a function that stops it. */
export function watchUrgent(open: (id: number) => void): () => void {
  let readUpToId: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const look = async () => {
    const page = await readUrgent();
    if (!page) return;
    const before = readUpToId;
    readUpToId = Math.max(page.asOf ?? 0, before ?? 0);
    if (before === undefined) return;
    tell(
      page.logs.filter(({ id }) => id > before),
      open,
    );
  };
  const lookAfter = (ms: number) => {
    const waitMs = Math.max(ms, askedAtMs + restMs - performance.now());
    timer ??= setTimeout(() => {
      timer = undefined;
      askedAtMs = performance.now();
      void look().catch(retryLater);
    }, waitMs);
  };
  const retryLater = (error: unknown) => {
    if (error instanceof ApiError && error.isTransient) lookAfter(retryMs);
  };
  lookAfter(0);
  const ends = [
    listenLive(({ kind }) => kind !== 'updated' && lookAfter(gatherMs)),
    // The user who sends an entry needs no alert for it.
    onSent(({ entry }) => {
      claimAlert('sound', entry.id);
      claimAlert('notice', entry.id);
    }),
    readyAlarm(),
  ];
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
  };
}

/** Reads the newest entries of urgent levels; undefined if the logbook has no such level. */
async function readUrgent(): Promise<SearchPage | undefined> {
  const { configuration } = await queryClient.fetchQuery(bootstrapQuery);
  const levels = configuration.levels.filter((level) => levelLook(level) === 'urgent');
  if (levels.length === 0) return undefined;
  const urgent = queryOf([{ kind: 'filter', key: 'level', values: levels, excluded: false }]) ?? '';
  const query = { query: urgent, view: 'list', size: String(readSize) };
  return dataOf<SearchPage>(await api.GET('/logs/search', { params: { query } }));
}

function tell(hits: readonly Hit[], open: (id: number) => void): void {
  const { urgentSound, urgentNotice } = readSettings();
  if (hits.length === 0) return;
  // A tab without a key press or a click cannot play sound, so it must not claim the alarm.
  if (urgentSound) void alarm(() => claimed('sound', hits).length > 0);
  if (urgentNotice) for (const hit of claimed('notice', hits).slice(0, maxNotices)) showNotice(hit, open);
}

/** Claims the entries that no tab has announced in this way yet, and returns them. */
function claimed(way: 'sound' | 'notice', hits: readonly Hit[]): readonly Hit[] {
  return hits.filter(({ id }) => claimAlert(way, id));
}
