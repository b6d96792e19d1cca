/** Header of an answer that the service worker has kept: when it was stored, in milliseconds since the epoch. */
export const storedHeader = 'x-logbook-stored';

/** Message of a page to the service worker. */
export type WorkerMessage =
  /** A page has been loaded. */
  | { readonly kind: 'started' }
  /** The page had asked for these addresses before the worker was there. */
  | { readonly kind: 'loaded'; readonly urls: readonly string[] }
  /** The entry was changed. */
  | { readonly kind: 'changed'; readonly id: number }
  /** The user of the page; null without a sign-in. */
  | { readonly kind: 'user'; readonly userName: string | null }
  /** Someone has signed in or out. */
  | { readonly kind: 'forget' };

/** Finds the build of a page in its HTML; undefined if it has none. */
export function buildOf(html: string): string | undefined {
  return /<meta name="build" content="([^"]+)"/.exec(html)?.[1];
}

/** Name of the lock that each page of a build holds as long as it is open. */
export function buildLock(build: string): string {
  return `logbook.build.${build}`;
}
