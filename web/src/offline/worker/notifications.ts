import { scope } from './worker-scope.ts';

/** A message about new items of the inbox, as the service sends it through the push service of the browser. */
interface PushMessage {
  /** Id of the message, which stays the same when it is sent again. */
  readonly id: string;
  /** Thread to which all entries belong; undefined: they belong to several. */
  readonly thread?: string;
  /** Author, if there is a single entry. */
  readonly by?: string;
  /** The entries, oldest first; never empty. */
  readonly entries: readonly { readonly id: number; readonly title: string }[];
}

/** Data that a notification keeps until it is pressed. */
interface Shown {
  readonly id: string;
  readonly path: string;
}

/**
 * Shows a notification in place of an earlier one about the same thread. A message that arrives twice is shown once.
 */
export async function showPush(text: string): Promise<void> {
  const { id, thread, by, entries } = JSON.parse(text) as PushMessage;
  const newest = entries.at(-1);
  if (!newest) return;
  const others = entries.slice(0, -1).toReversed();
  const tag = `logbook-${thread ?? id}`;
  const shown = await scope.registration.getNotifications({ tag });
  const options = {
    body: by ?? others.map((entry) => nameOf(entry)).join('\n'),
    ...{ tag, icon: '/icon.svg', renotify: !shown.some(({ data }) => (data as Shown | null)?.id === id) },
    data: { id, path: thread === undefined ? '/inbox' : `/entries/${newest.id}` } satisfies Shown,
  };
  await scope.registration.showNotification(
    others.length === 0 ? nameOf(newest) : `${nameOf(newest)} (+${others.length})`,
    options,
  );
}

/** Opens what a pressed notification is about, in a window of its own: a page may have unsent text. */
export async function openPressed(notification: Notification): Promise<void> {
  notification.close();
  const { path } = notification.data as Shown;
  const windows = await scope.clients.matchAll({ type: 'window' });
  const open = windows.find(({ url }) => new URL(url).pathname === path);
  await (open ? open.focus() : scope.clients.openWindow(path));
}

const nameOf = ({ id, title }: PushMessage['entries'][number]) => (title === '' ? `#${id}` : title);
