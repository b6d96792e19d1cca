import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { looksLikeDevice } from '../../../packages/search-language/device-words.ts';
import { typedEntryId } from '../api/entry-id.ts';
import { serverNow } from '../api/server-clock.ts';
import type { Suggestion } from '../api/types.ts';
import { formatId } from '../components/format.ts';
import { locale } from '../i18n/i18n.ts';
import { useBootstrap } from '../session/me.ts';
import type { Choice, ChoiceGroup } from './choice.ts';
import { deviceNames } from './device-names.ts';
import { type FilterKey, queryOf, termsOf } from './query-terms.ts';
import { readTime } from './read-time.ts';
import { devicesQuery, suggestQuery } from './search-queries.ts';
import { lastWord } from './use-draft.ts';

/** The keys in the order in which they are suggested. The compiler rejects a missing key. */
const order = {
  owner: 1,
  logbook: 2,
  level: 3,
  tag: 4,
  property: 5,
  device: 6,
  title: 7,
  attachment: 8,
  start: 9,
  end: 10,
} as const satisfies Record<FilterKey, number>;
const keys = Object.keys(order) as FilterKey[];
const times = ['1 hour', '8 hours', '24 hours', '3 days', '1 week', '1 month'] as const;
const media = ['image', 'pdf', 'text', 'video', 'audio'] as const;
const pauseMs = 120;
const maxOfGroup = 5;
const maxPages = 3;

/** Completions of the word that is typed: keys and their values, and words of the logbook. */
export function useSuggestions(text: string, isOpen: boolean): readonly ChoiceGroup[] {
  const { t } = useTranslation('find');
  const word = lastWord(text).replace(/^-/, '');
  const sign = lastWord(text).startsWith('-') ? '-' : '';
  const [key, typed] = splitFilter(word);
  const paused = usePaused(isOpen ? typed : '');
  const isWord = key === undefined;
  const asked = isOpen && paused !== '' && paused === typed;
  const values = useQuery({ ...suggestQuery(key ?? 'owner', paused), enabled: asked && (isWord || isSuggested[key]) });
  const words = useQuery({ ...suggestQuery('text', paused), enabled: asked && isWord && !looksLikeDevice(paused) });
  const devices = useDevices(paused, asked && isWord);
  const catalog = useCatalog();
  const deferred = useDeferredValue({ values: values.data, words: words.data });
  if (!isOpen) return [];
  const entryId = typedEntryId(text);
  const byNumber = entryId === undefined ? [] : [entryChoice(entryId, t('openEntry', { id: formatId(entryId) }))];
  if (key !== undefined) {
    const found = valuesOf(key, typed, catalog, deferred.values);
    const pages = key === 'device' && sign === '' ? found.map(({ value }) => value) : [];
    return [
      ...group(
        t('narrowBy'),
        found.map(({ value, count }) => valueChoice(sign, key, value, count)),
      ),
      ...group(t('devicePages'), pages.slice(0, maxPages).map(pageChoice)),
    ];
  }
  if (typed === '')
    return text === ''
      ? group(
          t('narrowBy'),
          keys.slice(0, 5).map((one) => keyChoice(sign, one, t(`hints.${one}`))),
        )
      : [];
  const matching = keys.filter((one) => one.startsWith(typed.toLowerCase()));
  const narrow = [
    ...matching.map((one) => keyChoice(sign, one, t(`hints.${one}`))),
    ...(['logbook', 'tag', 'level'] as const).flatMap((one) =>
      valuesOf(one, typed, catalog, undefined).map(({ value }) => valueChoice(sign, one, value, undefined)),
    ),
    ...(deferred.values ?? []).map(({ value, count }) => valueChoice(sign, 'owner', value, count)),
  ];
  const found = looksLikeDevice(typed) ? [] : (deferred.words ?? []);
  return [
    ...group(t('entry'), byNumber),
    ...group(t('narrowBy'), narrow.slice(0, maxOfGroup)),
    ...group(
      t('words'),
      found.map((one) => wordChoice(sign, one)),
    ),
    ...group(
      t('devices'),
      devices.names.map((text) => ({ text: `${sign}${text}`, isWhole: true, isDevice: true })),
    ),
    ...group(t('devicePages'), sign === '' ? devices.pages.slice(0, maxPages).map(pageChoice) : []),
  ];
}

function group(label: string, choices: readonly Choice[]): ChoiceGroup[] {
  return choices.length === 0 ? [] : [{ label, choices }];
}

/** Splits `owner=ad` into key and value; a plain word has no key. */
function splitFilter(word: string): [FilterKey | undefined, string] {
  const [term] = termsOf(word.includes('=') ? `${word}_` : '');
  if (term?.kind !== 'filter') return [undefined, word.replaceAll('"', '')];
  const typed =
    word
      .slice(word.indexOf('=') + 1)
      .split(/[,;|]/)
      .at(-1) ?? '';
  return [term.key, typed.replaceAll('"', '').trim()];
}

/** Whether the service suggests values of the key. */
const isSuggested = {
  owner: true,
  logbook: true,
  level: true,
  tag: true,
  property: true,
  device: true,
  title: true,
  attachment: false,
  start: false,
  end: false,
} as const satisfies Record<FilterKey, boolean>;

type Catalog = Readonly<Record<'level' | 'logbook' | 'tag', readonly string[]>>;

function useCatalog(): Catalog {
  const { levels = [], logbooks = [], tags = [] } = useBootstrap()?.configuration ?? {};
  return { level: levels, logbook: logbooks.map(({ name }) => name), tag: tags.map(({ name }) => name) };
}

function valuesOf(
  key: FilterKey,
  typed: string,
  catalog: Catalog,
  found: readonly Suggestion[] | undefined,
): { readonly value: string; readonly count?: number }[] {
  const start = typed.toLowerCase();
  const startsSo = (value: string) => value.toLowerCase().startsWith(start);
  if (key === 'start' || key === 'end') return timesFor(key, typed, times.filter(startsSo));
  if (key === 'attachment') return media.filter(startsSo).map((value) => ({ value }));
  const known = key === 'level' || key === 'logbook' || key === 'tag' ? catalog[key].filter(startsSo) : [];
  const counted = (found ?? []).filter(({ value }) => startsSo(value));
  const others = known.filter((value) => !counted.some((one) => one.value === value));
  return [...counted, ...others.map((value) => ({ value }))].slice(0, 8);
}

/** Returns the amounts that begin with the text, or the time that it means. */
function timesFor(key: 'start' | 'end', typed: string, amounts: readonly string[]): { readonly value: string }[] {
  const read = readTime(typed, { nowMs: serverNow(), isEnd: key === 'end', locale: locale() });
  const values = read && amounts.length === 0 ? [read.text] : amounts;
  return values.map((value) => ({ value }));
}

function entryChoice(entryId: number, text: string): Choice {
  return { text, entryId, isWhole: true };
}

function pageChoice(name: string): Choice {
  return { text: name, pageOf: name, isWhole: true, isDevice: true };
}

function keyChoice(sign: string, key: FilterKey, hint: string): Choice {
  return { text: `${sign}${key}=`, end: hint, isWhole: false };
}

function valueChoice(sign: string, key: FilterKey, value: string, count: number | undefined): Choice {
  const text = queryOf([{ kind: 'filter', key, values: [value], excluded: sign === '-' }]) ?? '';
  return { text, isWhole: true, ...(count !== undefined && { count }) };
}

function wordChoice(sign: string, { value, count }: Suggestion): Choice {
  const text = /\s/.test(value) ? `"${value}"` : value;
  return { text: `${sign}${text}`, count, isWhole: true };
}

interface FoundDevices {
  readonly names: readonly string[];
  /** Names that have a page. */
  readonly pages: readonly string[];
}

/** Returns complete device names that begin with the word, from the newest entries with them. */
function useDevices(word: string, isWanted: boolean): FoundDevices {
  const isAsked = isWanted && looksLikeDevice(word);
  const { data } = useQuery({ ...devicesQuery(word), enabled: isAsked });
  const names = isAsked && data ? deviceNames(data.logs, word).slice(0, maxOfGroup) : [];
  return { names, pages: names.filter((name) => data?.logs.some(({ devices }) => devices?.includes(name))) };
}

/** The text once typing has paused: every key would otherwise be a request. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
