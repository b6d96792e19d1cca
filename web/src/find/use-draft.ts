import { useState } from 'react';
import { serverNow } from '../api/server-clock.ts';
import { locale } from '../i18n/i18n.ts';
import type { Choice } from './choice.ts';
import { isToken, type QueryTerm, queryOf, termsOf } from './query-terms.ts';
import { isTimeKey, withQuotedTimes } from './time-range.ts';

interface DraftState {
  /** The search that the address had when this state began. */
  readonly of: string | undefined;
  readonly tokens: readonly QueryTerm[];
  readonly text: string;
}

/** Content of the search box: tokens, followed by the text that is being typed. */
export interface Draft extends DraftState {
  readonly type: (text: string) => void;
  /** Shows a search, which need not be that of the address. */
  readonly show: (query: string | undefined) => void;
  /** Turns the token back into text, to change it. */
  readonly open: (at: number) => void;
  readonly openLast: () => void;
  /** The search without the token. */
  readonly without: (at: number) => string | undefined;
  /** The whole search. */
  readonly query: () => string | undefined;
  /** Inserts a suggestion; returns the search if the suggestion completes it. */
  readonly complete: (choice: Choice) => string | undefined;
}

function begin(query: string | undefined): DraftState {
  const terms = termsOf(query);
  const text = queryOf(terms.filter((term) => !isToken(term))) ?? '';
  return { of: query, tokens: terms.filter(isToken), text };
}

export function useDraft(query: string | undefined): Draft {
  const [stored, setState] = useState(() => begin(query));
  // A search that was changed elsewhere, such as in the filters, replaces what was typed before it.
  const state = stored.of === query ? stored : begin(query);
  if (state !== stored) setState(state);
  const { tokens, text } = state;
  const join = (some: readonly QueryTerm[], words: string) => queryOf([...some, ...typedTerms(words)]);
  return {
    ...state,
    type: (next) => setState(absorb(state, next)),
    show: (shown) => setState({ ...begin(shown), of: query }),
    open: (at) => setState(opened(state, at)),
    openLast: () => setState(opened(state, tokens.length - 1)),
    without: (at) =>
      join(
        tokens.filter((_, other) => other !== at),
        text,
      ),
    query: () => join(tokens, text),
    complete: (choice) => {
      const before = text.slice(0, text.length - lastWord(text).length);
      const next = `${before}${choice.text}`;
      if (!choice.isWhole) {
        setState({ ...state, text: next });
        return undefined;
      }
      return join(tokens, next);
    },
  };
}

/** Returns the word that is being typed: what follows the last space outside quotes. */
export function lastWord(text: string): string {
  return /(?:[^\s"]|"[^"]*(?:"|$))*$/.exec(text)?.[0] ?? '';
}

/** Returns the terms of a text in which times such as `start=1 March` need no quotes. */
function typedTerms(text: string): QueryTerm[] {
  return termsOf(withQuotedTimes(text, serverNow(), locale()));
}

/** Turns a filter that is followed by a space, and so is complete, into a token. */
function absorb(state: DraftState, text: string): DraftState {
  if (!/\s$/.test(text)) return { ...state, text };
  const terms = typedTerms(text);
  const last = terms.at(-1);
  // Another word may belong to the time.
  if (last?.kind === 'filter' && isTimeKey(last.key) && !text.trimEnd().endsWith('"')) return { ...state, text };
  const whole = terms.filter(isToken);
  if (whole.length === 0 || text.split('"').length % 2 === 0) return { ...state, text };
  const words = queryOf(terms.filter((term) => !isToken(term)));
  return { ...state, tokens: [...state.tokens, ...whole], text: words === undefined ? '' : `${words} ` };
}

function opened(state: DraftState, at: number): DraftState {
  const token = state.tokens[at];
  if (!token) return state;
  const text = [state.text.trim(), queryOf([token])].filter((part) => part !== '').join(' ');
  return { ...state, tokens: state.tokens.filter((_, other) => other !== at), text };
}
