import type { Hit } from '../api/types.ts';

/** Reason why the browser cannot show notifications; undefined: it can, or can ask the reader. */
export function noticeProblem(): 'insecure' | 'denied' | 'missing' | undefined {
  if (!isSecureContext) return 'insecure';
  // On Android, only service workers can show notifications.
  if (!('Notification' in globalThis) || /Android/.test(navigator.userAgent)) return 'missing';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** Asks the reader to allow notifications, unless already answered. Returns whether they are allowed. */
export async function mayShowNotices(): Promise<boolean> {
  return noticeProblem() === undefined && (await Notification.requestPermission()) === 'granted';
}

/** Shows the entry as a notification, which opens the entry when it is pressed. */
export function showNotice(hit: Hit, open: (id: number) => void): void {
  if (noticeProblem() !== undefined || Notification.permission !== 'granted') return;
  const { id, level, title, logbooks, snippet, owner, ownerName } = hit;
  const filed = `${logbooks.map(({ name }) => name).join(', ')} · ${ownerName ?? owner}`;
  const notice = new Notification(`${level}: ${title}`, {
    body: snippet ? `${filed}\n${snippet}` : filed,
    icon: '/icon.svg',
    tag: `logbook-${id}`,
  });
  notice.onclick = () => {
    window.focus();
    open(id);
    notice.close();
  };
}
