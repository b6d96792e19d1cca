import type { Bootstrap, Me, SavedSearch, Suggestion } from './types.ts';

interface Operation<Answer, Query = never, Path = never, Body = never> {
  parameters: { query?: Query; header?: never; path?: Path; cookie?: never };
  requestBody?: [Body] extends [never] ? never : { content: { 'application/json': Body } };
  responses: { 200: { content: { 'application/json': Answer } } };
}

/** Addresses that the generated types do not have yet. */
export interface PendingPaths {
  '/me': { get: Operation<Me> };
  '/bootstrap': { get: Operation<Bootstrap> };
  '/suggest': { get: Operation<Suggestion[], { key: string; q: string; size?: number; query?: string }> };
  '/me/searches': {
    get: Operation<SavedSearch[]>;
    post: Operation<SavedSearch, never, never, { name: string; query: string; shared: boolean }>;
  };
}
