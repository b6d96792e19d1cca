import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { api, dataOf } from '../../api/api.ts';
import { queryClient } from '../../api/query-client.ts';
import type { SearchPage } from '../../api/types.ts';
import { queryOf } from '../../find/query-terms.ts';
import { suggestQuery } from '../../find/search-queries.ts';

const maxEntries = 6;

/** Offers users after `@`: owners of entries that the reader may read. */
export async function mentionedUsers(context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/(?<![^\s(])@[\p{L}\p{N}_.+-]*/u);
  if (!word) return null;
  const found = await queryClient
    .fetchQuery({ ...suggestQuery('owner', word.text.slice(1)), staleTime: 60_000 })
    .catch(() => []);
  return resultOf(
    context,
    word.from,
    found.map(({ value }) => ({ label: `@${value}`, apply: `@${value} ` })),
  );
}

/** Offers entries after `#`, by a word of their title. */
export async function mentionedEntries(context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/(?<![^\s(])#(?!\d+$)[\p{L}\p{N}][\p{L}\p{N}_.:{}-]*/u);
  if (!word) return null;
  const found = await findEntries(word.text.slice(1)).catch(() => []);
  return resultOf(
    context,
    word.from,
    found.map(({ id, title }) => ({ label: title, detail: `#${id}`, apply: `#${id} ` })),
  );
}

async function findEntries(word: string): Promise<SearchPage['logs']> {
  const query = queryOf([{ kind: 'filter', key: 'title', values: [`${word}*`], excluded: false }]) ?? '';
  const params = { query: { query, view: 'list', size: String(maxEntries) } };
  return dataOf<SearchPage>(await api.GET('/logs/search', { params })).logs;
}

function resultOf(context: CompletionContext, from: number, options: readonly Completion[]): CompletionResult | null {
  return context.aborted || options.length === 0 ? null : { from, options, filter: false };
}
