import type { UrlSearch } from '../app/url-search.ts';

/** Address to which a sign-in returns. */
export interface SignInSearch {
  /** A path of this client. */
  readonly returnTo?: string;
}

/** Reads the path; drops one that could lead to another site. */
export function signInSearch({ returnTo }: UrlSearch | Readonly<Record<string, unknown>>): SignInSearch {
  const isPath = typeof returnTo === 'string' && /^\/(?![/\\])[^\\\t\r\n]*$/.test(returnTo);
  return isPath ? { returnTo } : {};
}
