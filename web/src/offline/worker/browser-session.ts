import { scope } from './worker-scope.ts';

/** A cookie without an expiry date, which browsers remove when they are closed, like the session cookie. */
const cookieName = 'LOGBOOK-OPEN';

/**
 * Records that the browser is open.
 * @returns false in older browsers, which have no cookies for workers
 */
export async function noteBrowserSession(): Promise<boolean> {
  try {
    await scope.cookieStore?.set(cookieName, '1');
    return await isSameBrowserSession();
  } catch {
    return false;
  }
}

/** Whether the browser has stayed open since `noteBrowserSession`. */
export async function isSameBrowserSession(): Promise<boolean> {
  try {
    return ((await scope.cookieStore?.get(cookieName)) ?? null) !== null;
  } catch {
    return false;
  }
}
