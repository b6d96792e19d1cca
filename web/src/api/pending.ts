import type { SavedSearch, Suggestion } from './types.ts';

interface Operation<Answer, Query = never, Path = never, Body = never> {
  parameters: { query?: Query; header?: never; path?: Path; cookie?: never };
  requestBody?: [Body] extends [never] ? never : { content: { 'application/json': Body } };
  responses: { 200: { content: { 'application/json': Answer } } };
}

/** Addresses that the generated types do not have yet. */
export interface PendingPaths {
  '/suggest': { get: Operation<Suggestion[], { key: string; q: string; size?: number; query?: string }> };
  '/me/settings': {
    get: Operation<Record<string, unknown>>;
    put: Operation<Record<string, unknown>, never, never, Record<string, unknown>>;
  };
  '/me/searches': {
    get: Operation<SavedSearch[]>;
    post: Operation<SavedSearch, never, never, { name: string; query: string; shared: boolean }>;
  };
}
