import type { Entry, SavedSearch, Suggestion } from './types.ts';

interface Operation<Answer, Query = never, Path = never, Body = never> {
  parameters: { query?: Query; header?: never; path?: Path; cookie?: never };
  requestBody?: [Body] extends [never] ? never : { content: { 'application/json': Body } };
  responses: { 200: { content: { 'application/json': Answer } } };
}

/** Addresses that the generated types do not have yet. */
export interface PendingPaths {
  '/suggest': { get: Operation<Suggestion[], { key: string; q: string; size?: number }> };
  '/threads/{groupId}': {
    get: Operation<{ hitCount: number; logs: Entry[] }, { size?: string; from?: string }, { groupId: string }>;
  };
  '/logs/{logId}/versions/{version}': { get: Operation<Entry, never, { logId: string; version: number }> };
  '/me/searches': {
    get: Operation<SavedSearch[], never>;
    post: Operation<SavedSearch, never, never, { name: string; query: string; shared: boolean }>;
  };
  '/me/searches/{id}': { delete: Operation<null, never, { id: string }> };
}
