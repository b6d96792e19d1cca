import { clientInfo, clientInfoHeader } from '../../api/client-info.ts';

/** Pages of the client, as in `app/router.tsx` and in the routes of the server. */
const pages =
  /^\/(?:entries\/.*|write(?:\/.*)?|new|at\/.*|devices\/.*|drafts|saved|inbox|hand-over(?:\/.*)?|wall|sign-in|administration(?:\/.*)?|look-after(?:\/.*)?)?$/;

/** Files with the same name in every build. */
const fixedFiles = ['/icon.svg', '/manifest.webmanifest'];

/** Answers of the API that are kept: lists, entries, threads, and what every page needs. */
const answers =
  /^\/(?:bootstrap|me|me\/settings|me\/searches|logs\/search|logs\/facets|logs\/\d+|logs\/archived\/\d+|threads\/[^/]+|templates(?:\/[^/]+)?)$/;

/** Handling of a request by the worker; undefined: it is left to the browser. */
export type Handling = 'page' | 'asset' | 'fixed-file' | 'answer' | 'session-end' | undefined;

type AskedFor = Pick<Request, 'url' | 'method' | 'mode' | 'cache' | 'headers'>;

/** Decides what the worker does with a request of a page. */
export function handlingOf(request: AskedFor, origin: string, rootPath: string): Handling {
  const { method, mode, cache, headers } = request;
  const url = new URL(request.url);
  if (url.origin !== origin) return undefined;
  const { pathname: path } = url;
  // Matches any spelling of the root path: no data of one user may be shown to the next.
  if (/\/(?:logout|login\/oidc\/callback)$/.test(path)) return 'session-end';
  if (method !== 'GET' || headers.has('range') || cache === 'no-store') return undefined;
  if (mode === 'navigate') return isPage(path) ? 'page' : undefined;
  if (path.startsWith('/assets/')) return 'asset';
  if (fixedFiles.includes(path)) return 'fixed-file';
  // Other programs of the same origin, such as the API documentation, may ask in the name of another user.
  if (headers.get(clientInfoHeader) !== clientInfo) return undefined;
  return isAnswer(path, rootPath) ? 'answer' : undefined;
}

export function isPage(path: string): boolean {
  return pages.test(path);
}

export function isAnswer(path: string, rootPath: string): boolean {
  return path.startsWith(`${rootPath}/`) && answers.test(path.slice(rootPath.length));
}

/** Returns the id if the address is that of a single entry with its text; undefined for other addresses. */
export function entryIdOf(path: string, rootPath: string): number | undefined {
  const [, id] = /^\/logs\/(\d+)$/.exec(path.slice(rootPath.length)) ?? [];
  return id === undefined ? undefined : Number(id);
}
