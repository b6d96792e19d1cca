import { useRouter, useRouterState } from '@tanstack/react-router';
import { findSearch } from '../find/find-search.ts';
import { termsOf } from '../find/query-terms.ts';

/** Returns the only logbook to which a search is narrowed; undefined if there are none or several. */
export function filteredLogbook(query: string | undefined): string | undefined {
  const filters = termsOf(query).filter((term) => term.kind === 'filter');
  const names = filters.filter(({ key, excluded }) => key === 'logbook' && !excluded).flatMap(({ values }) => values);
  return names.length === 1 && !/[*?]/.test(names[0] ?? '') ? names[0] : undefined;
}

interface Place {
  readonly pathname: string;
  readonly search: object;
}

/** Returns the parameters of the page for a new entry: the logbook to which the list is narrowed. */
function newEntrySearch({ pathname, search }: Place): { readonly logbook?: string } {
  const isList = /^\/(entries\/\d+)?$/.test(pathname);
  const logbook = isList ? filteredLogbook(findSearch(search).query) : undefined;
  return logbook === undefined ? {} : { logbook };
}

export function useNewEntryLink(): { readonly to: '/'; readonly search: object } {
  const logbook = useRouterState({ select: ({ location }) => newEntrySearch(location).logbook });
  return { to: '/write' as '/', search: logbook === undefined ? {} : { logbook } };
}

export function useNewEntry(): () => void {
  const router = useRouter();
  return () => void router.navigate({ to: '/write' as '/', search: newEntrySearch(router.state.location) as object });
}
