import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../search/random.js';

/** One incident: its description in entries, and the queries of people who search for it with different words. */
interface Topic {
  readonly device: string;
  readonly english: string;
  readonly englishQueries: readonly string[];
  readonly german: string;
  readonly germanQueries: readonly string[];
}

export const queryKinds = [
  'paraphrase, English',
  'paraphrase, German',
  'partly other words',
  'exact words',
  'device name',
] as const;

export interface RelevanceQuery {
  readonly kind: (typeof queryKinds)[number];
  readonly text: string;
  /** Numbers of the entries that answer it. */
  readonly relevant: ReadonlySet<number>;
  /** Whether the query is held out: no ranking was tuned with it. */
  readonly isHeldOut: boolean;
}

interface RelevanceLog {
  readonly entries: readonly string[];
  /** Older entries, from which words can be learned. No query asks for them. */
  readonly history: readonly string[];
  readonly queries: readonly RelevanceQuery[];
}

const file = join(import.meta.dirname, '../../../bench/relevance/topics.json');
const routineEntries = 4_000;
/** Share of the words of routine entries that are from queries. */
const askedShare = 0.2;
const routines = {
  english: ['Routine check', 'Shift handover', 'Planned maintenance', 'Test', 'Weekly inspection', 'Note'],
  german: ['Routinekontrolle', 'Schichtübergabe', 'Geplante Wartung', 'Test', 'Wöchentliche Prüfung', 'Notiz'],
} as const;

/**
 * Returns a log in which each incident is planted once in English and once in German, among near misses: routine
 * entries of the same devices, with words of the queries and of the incidents. The words of a routine entry are drawn
 * independently, so that they say nothing about each other. The history is of earlier incidents of the same kind: each
 * entry has words of an incident, and of one of its paraphrases, in one language.
 * @param pastIncidents number of entries of the history for each incident and language
 */
export function createRelevanceLog(seed: number, pastIncidents: number): RelevanceLog {
  const topics = JSON.parse(readFileSync(file, 'utf8')) as readonly Topic[];
  const random = new Random(seed, 0);
  const entries = topics.flatMap(({ device, english, german }) => [`${device} ${english}`, `${device} ${german}`]);
  const told = {
    english: topics.flatMap(({ english }) => wordsOf(english)),
    german: topics.flatMap(({ german }) => wordsOf(german)),
  };
  const asked = {
    english: topics.flatMap(({ englishQueries }) => englishQueries.flatMap(wordsOf)),
    german: topics.flatMap(({ germanQueries }) => germanQueries.flatMap(wordsOf)),
  };
  for (let number = 0; number < routineEntries; number++) {
    const language = number % 2 === 0 ? 'english' : 'german';
    const some = Array.from({ length: 2 + random.below(5) }, () =>
      random.pick((random.chance(askedShare) ? asked : told)[language]),
    );
    entries.push(`${random.pick(topics).device} ${random.pick(routines[language])}: ${some.join(' ')}`);
  }
  const history = historyOf(topics, new Random(seed, 1), pastIncidents);
  return { entries, history, queries: topics.flatMap((topic, at) => queriesOf(topic, at, entries)) };
}

function historyOf(topics: readonly Topic[], random: Random, pastIncidents: number): string[] {
  const pick = (text: string, count: number) => Array.from({ length: count }, () => random.pick(wordsOf(text)));
  return topics.flatMap(({ device, english, englishQueries, german, germanQueries }) =>
    [
      { told: english, asked: englishQueries },
      { told: german, asked: germanQueries },
    ].flatMap(({ told, asked }) =>
      Array.from({ length: pastIncidents }, () => [device, ...pick(told, 3), ...pick(random.pick(asked), 2)].join(' ')),
    ),
  );
}

function queriesOf(topic: Topic, at: number, entries: readonly string[]): RelevanceQuery[] {
  const both = new Set([2 * at, 2 * at + 1]);
  const named = new Set(entries.flatMap((entry, number) => (entry.startsWith(`${topic.device} `) ? [number] : [])));
  const isHeldOut = at % 2 === 1;
  const query = (kind: RelevanceQuery['kind'], text: string, relevant: ReadonlySet<number> = both): RelevanceQuery => ({
    kind,
    text,
    relevant,
    isHeldOut,
  });
  return [
    ...topic.englishQueries.map((text) => query('paraphrase, English', text)),
    ...topic.germanQueries.map((text) => query('paraphrase, German', text)),
    query('partly other words', `${longestWord(topic.english)} ${topic.englishQueries[0]}`),
    query('partly other words', `${longestWord(topic.german)} ${topic.germanQueries[0]}`),
    query('exact words', topic.english.split(',')[0] ?? ''),
    query('device name', topic.device, named),
  ];
}

const longestWord = (text: string): string =>
  wordsOf(text).reduce((longest, word) => (word.length > longest.length ? word : longest), '');

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word.length > 3);
