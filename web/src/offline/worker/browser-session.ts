import { scope } from './worker-scope.ts';

/** A cookie without an end is removed when the browser is closed, like the one of the session of a user. */
const cookieName = 'LOGBOOK-OPEN';

/** Notes that the browser is open. @returns false where it cannot: older ones have no cookies for workers */
export async function noteBrowserSession(): Promise<boolean> {
  try {
    await scope.cookieStore?.set(cookieName, '1');
    return await isSameBrowserSession();
  } catch {
    return false;
  }
}

/** Whether the browser was not closed since that was noted. */
export async function isSameBrowserSession(): Promise<boolean> {
  return ((await scope.cookieStore?.get(cookieName)) ?? null) !== null;
}
