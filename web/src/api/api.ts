import createClient, { type Middleware } from 'openapi-fetch';
import { rootPath } from '../app/root-path.ts';
import { noteAnswer, noteUnreachable } from '../offline/connection.ts';
import { ApiError } from './api-error.ts';
import { clientInfo, clientInfoHeader } from './client-info.ts';
import { queryClient } from './query-client.ts';
import type { paths } from './schema.ts';
import { readServerDate } from './server-clock.ts';
import type { Me } from './types.ts';

/** Functions that are called when the server reports that there is no session. */
const signedOutListeners = new Set<() => void>();

export function onUnauthorized(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

const expectedUserHeader = 'X-Logbook-Expected-User';

/**
 * Returns the header that names the user of a request. If another user has since signed in in another tab, the service
 * refuses the request with 401.
 */
export function forUser(userName: string): Record<string, string> {
  return { [expectedUserHeader]: encodeURIComponent(userName) };
}

/** Names the user of the page in a request for a change, unless the caller has named a user. */
function stateUser({ method, headers }: Request): void {
  const userName = queryClient.getQueryData<Me>(['me'])?.userName;
  if (method === 'GET' || userName == null || headers.has(expectedUserHeader)) return;
  for (const [name, value] of Object.entries(forUser(userName))) headers.set(name, value);
}

const faults: Middleware = {
  onRequest: ({ request }) => {
    request.headers.set(clientInfoHeader, clientInfo);
    stateUser(request);
    return request;
  },
  onResponse: async ({ response }) => {
    if (response.ok || response.status === 304) return undefined;
    const error = await ApiError.of(response);
    if (error.status === 401) for (const listener of signedOutListeners) listener();
    throw error;
  },
  onError: ({ error }) => {
    if (error instanceof ApiError || (error instanceof DOMException && error.name === 'AbortError')) return undefined;
    return ApiError.unreachable();
  },
};

/** Time limit of a request: some networks drop requests without an error. */
const answerWithinMs = 30_000;
/** Time limit for a form with files. */
const formWithinMs = 10 * 60_000;

async function fetchInTime(request: Request): Promise<Response> {
  const isForm = request.headers.get('content-type')?.startsWith('multipart/') ?? false;
  const abort = new AbortController();
  const late = () => abort.abort(ApiError.unreachable());
  const timer = setTimeout(late, isForm ? formWithinMs : answerWithinMs);
  const cancel = () => abort.abort(request.signal.reason);
  request.signal.addEventListener('abort', cancel);
  try {
    const response = await fetch(request, { signal: abort.signal });
    readServerDate(response);
    noteAnswer(response);
    return response;
  } catch (error) {
    if (!request.signal.aborted) noteUnreachable();
    throw error;
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', cancel);
  }
}

/** Calls the API. Every call either resolves with data or throws an `ApiError`. */
export const api = createClient<paths>({
  baseUrl: rootPath,
  credentials: 'same-origin',
  fetch: fetchInTime,
});
api.use(faults);

/** Returns the data of a successful call; for any other call, the middleware has thrown. */
export function dataOf<T>({ data }: { readonly data?: unknown }): T {
  return data as T;
}

/** Builds an address below the root path, for links and images. */
export function apiUrl(path: string, params: Readonly<Record<string, string | number | boolean>> = {}): string {
  const query = new URLSearchParams(Object.entries(params).map(([key, value]) => [key, String(value)])).toString();
  return `${rootPath}${path}${query === '' ? '' : `?${query}`}`;
}
