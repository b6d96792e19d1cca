import { type NavigateOptions, useNavigate, useSearch } from '@tanstack/react-router';
import { Search, X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import { useViewport } from '../app/viewport.ts';
import { Icon } from '../components/icon.tsx';
import { comboboxProps, useOptions } from '../components/use-options.ts';
import { locale } from '../i18n/i18n.ts';
import { WatchSearch } from '../inbox/watch-search.tsx';
import { useShortcut } from '../keys/use-shortcut.ts';
import { FiltersButton } from './filters-button.tsx';
import { type FindSearch, findSearch, withQuery } from './find-search.ts';
import { ProblemText } from './problem-text.tsx';
import { type QueryTerm, queryOf } from './query-terms.ts';
import { SaveSearch } from './save-search.tsx';
import './search-box.css';
import type { Choice } from './choice.ts';
import { SuggestionList } from './suggestion-list.tsx';
import { type RangeProblem, withReadTimes } from './time-range.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { useSuggestions } from './use-suggestions.ts';

/** The search box: words, and tokens for `key=value`, with completion of both. */
export function SearchBox() {
  const { t } = useTranslation('find');
  const isPhone = useViewport() === 'phone';
  const box = useSearchBox();
  const { draft, groups, active, hasList, listId, problem, goTo, submit, choose } = box;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the `search` element is too new for some browsers
    <div className={`search ${hasList ? 'open' : ''}`} role="search">
      <Icon of={Search} />
      <div className="search-parts">
        <Tokens
          tokens={draft.tokens}
          onRemove={(at) => {
            const rest = draft.without(at);
            draft.show(rest);
            submit(rest);
            box.input.current?.focus();
          }}
          onOpen={(at) => {
            draft.open(at);
            box.input.current?.focus();
          }}
        />
        <BoxInput box={box} />
      </div>
      {(draft.text !== '' || draft.tokens.length > 0) && (
        <button
          type="button"
          className="button ghost small icon-only"
          aria-label={t('clearSearch')}
          onClick={() => {
            goTo(undefined);
            // The button disappears.
            box.input.current?.focus();
          }}
        >
          <Icon of={X} />
        </button>
      )}
      {!isPhone && <WatchSearch search={box.search} />}
      {!isPhone && <SaveSearch search={box.search} />}
      {!isPhone && <kbd>/</kbd>}
      {isPhone && <FiltersButton search={box.search} />}
      {hasList && <SuggestionList id={listId} groups={groups} active={active} typed={draft.text} onChoose={choose} />}
      {problem && (
        <p className="card search-problem" id={`${listId}-problem`} role="status">
          <ProblemText problem={problem} />
        </p>
      )}
    </div>
  );
}

type Box = ReturnType<typeof useSearchBox>;

/** Manages the text in the box, its completions, and the resulting search. */
function useSearchBox() {
  const navigate = useNavigate();
  const search = findSearch(useSearch({ strict: false }));
  const input = useRef<HTMLInputElement>(null);
  const draft = useDraft(search.query);
  const [isOpen, setOpen] = useState(false);
  /** Whether the user has submitted a search with an invalid time. */
  const [isAsked, setAsked] = useState(false);
  const listId = useId();
  const groups = useSuggestions(draft.text, isOpen);
  const options = groups.flatMap(({ choices }) => choices);
  useShortcut('search', () => {
    input.current?.focus();
    input.current?.select();
  });
  const close = () => {
    setOpen(false);
    unmark();
    setAsked(false);
  };
  const hasList = isOpen && options.length > 0;
  const problem = timeProblem(draft, isAsked || (isOpen && !hasList));
  const goTo = (query: string | undefined) => {
    close();
    // The address may already have this search.
    draft.show(query);
    void navigate({ to: '/', search: withQuery(search, query) });
  };
  /** Searches, unless a time is invalid. */
  const submit = (query: string | undefined) => {
    const read = withReadTimes(query, serverNow(), locale());
    if ('kind' in read) setAsked(true);
    else goTo(read.query);
  };
  const open = (page: NavigateOptions) => {
    close();
    draft.show(search.query);
    // The page takes the focus.
    input.current?.blur();
    void navigate(page);
  };
  const choose = (choice: Choice) => {
    const page = pageOf(choice, search);
    if (page) return open(page);
    const next = draft.complete(choice);
    unmark();
    if (next !== undefined) submit(next);
    input.current?.focus();
  };
  const type = (text: string) => {
    setOpen(true);
    unmark();
    setAsked(false);
    draft.type(text);
  };
  const choices = { options: hasList ? options : [], onChoose: choose, onClose: close, onOpen: () => setOpen(true) };
  const { active, unmark, onKey } = useOptions(choices);
  return { search, input, draft, listId, groups, active, hasList, onKey, problem, type, close, goTo, submit, choose };
}

/** Returns the page that a choice opens; undefined: it completes the search. */
function pageOf({ entryId, pageOf: device }: Choice, search: FindSearch): NavigateOptions | undefined {
  if (entryId !== undefined) return { to: '/entries/$entryId', params: { entryId: String(entryId) }, search };
  return device === undefined ? undefined : { to: '/devices/$name', params: { name: device }, search: {} };
}

/** Returns the problem with the times of the search; undefined until it is due to be shown. */
function timeProblem(draft: Draft, isDue: boolean): RangeProblem | undefined {
  if (!isDue) return undefined;
  const read = withReadTimes(draft.query(), serverNow(), locale());
  return 'kind' in read ? read : undefined;
}

function BoxInput({ box }: { readonly box: Box }) {
  const { t } = useTranslation('find');
  const { input, draft, hasList, listId, active, problem, type, close } = box;
  return (
    <input
      ref={input}
      {...comboboxProps(listId, hasList, active)}
      aria-label={t('search')}
      placeholder={draft.tokens.length === 0 ? t('searchPlaceholder') : ''}
      value={draft.text}
      autoCapitalize="none"
      spellCheck={false}
      enterKeyHint="search"
      aria-invalid={problem !== undefined}
      aria-describedby={problem && `${listId}-problem`}
      onChange={(event) => type(event.target.value)}
      onKeyDown={(event) => onBoxKey(event, box)}
      onBlur={close}
    />
  );
}

function onBoxKey(event: React.KeyboardEvent<HTMLInputElement>, { draft, onKey, submit }: Box): void {
  if (onKey(event)) return;
  const { selectionStart, selectionEnd } = event.currentTarget;
  const atStart = selectionStart === 0 && selectionEnd === 0;
  if (event.key === 'Enter') submit(draft.query());
  else if (event.key === 'Backspace' && atStart && draft.tokens.length > 0) {
    event.preventDefault();
    draft.openLast();
  }
}

interface TokensProps {
  readonly tokens: readonly QueryTerm[];
  readonly onRemove: (at: number) => void;
  readonly onOpen: (at: number) => void;
}

function Tokens({ tokens, onRemove, onOpen }: TokensProps) {
  const { t } = useTranslation('find');
  return tokens.map((term, at) => {
    const text = queryOf([term]) ?? '';
    return (
      <span key={text} className={`token ${term.excluded ? 'out' : ''}`}>
        <button type="button" className="token-text" title={t('editToken', { text })} onClick={() => onOpen(at)}>
          {term.excluded && <b>−</b>}
          {term.kind === 'filter' ? (
            <>
              <b>{term.key}</b>
              <i>=</i>
              <span className="cut">{term.values.join(', ')}</span>
            </>
          ) : (
            <span>{term.kind === 'flag' ? term.flag : term.text}</span>
          )}
        </button>
        <button type="button" aria-label={t('removeToken', { text })} onClick={() => onRemove(at)}>
          <Icon of={X} />
        </button>
      </span>
    );
  });
}
