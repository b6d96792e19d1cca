import type { Hit } from '../api/types.ts';

/** Why the browser shows no notification; undefined: it does, or can be asked. */
export function noticeProblem(): 'insecure' | 'denied' | 'missing' | undefined {
  if (!isSecureContext) return 'insecure';
  // Android shows only those of service workers.
  if (!('Notification' in globalThis) || /Android/.test(navigator.userAgent)) return 'missing';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** Asks the reader, if that was never done, to let the page show notifications. */
export async function mayShowNotices(): Promise<boolean> {
  return noticeProblem() === undefined && (await Notification.requestPermission()) === 'granted';
}

/** Shows the entry outside of the page. A press on it opens it. */
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
