import type { UrlSearch } from '../app/url-search.ts';

/** Where a sign-in leads back to. */
export interface SignInSearch {
  /** A path of this client. */
  readonly returnTo?: string;
}

/** Reads the path; one that could lead to another site is dropped. */
export function signInSearch({ returnTo }: UrlSearch | Readonly<Record<string, unknown>>): SignInSearch {
  const isPath = typeof returnTo === 'string' && /^\/(?![/\\])[^\\\t\r\n]*$/.test(returnTo);
  return isPath ? { returnTo } : {};
}
