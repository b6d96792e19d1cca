import type { TextMatch } from '../../packages/search-language/search-text.js';
import type { Query, QueryTexts, SelectingKey, TimeWindow, ValueFilter } from '../search/query.js';
import type { ExplainedPart } from '../search/search-index.port.js';
import { usedLists } from '../search/value-filters.js';
import { type TermPattern, termPatterns } from './facet-terms.js';
import { type Field, type Flag, fields } from './search-terms.js';

/** Meaning of one part of a query, as a condition of the engine. */
export interface Interpretation<Condition, Expansion> {
  /** Searched value, case-folded for comparison. */
  readonly value: string;
  readonly interpretedAs: ExplainedPart['interpretedAs'];
  /** Terms that a wildcard or a fuzzy word matches. */
  readonly expansion?: Expansion;
  readonly condition: Condition;
}

/** One part of a query, compiled to a condition. */
export interface Clause<Condition, Expansion> extends Interpretation<Condition, Expansion> {
  readonly key: SelectingKey;
  /** Whether matching entries are excluded. */
  readonly excluded: boolean;
}

/** Compiler of conditions, specific to each engine. */
export interface ConditionCompiler<Condition, Expansion> {
  /** Matches entries with this text in one of the fields. */
  text(match: TextMatch, inFields: readonly Field[]): Interpretation<Condition, Expansion>;
  /** Matches entries with any of the values. */
  values(patterns: readonly TermPattern[]): Interpretation<Condition, Expansion>;
  flag(flag: Flag): Condition;
  window(window: TimeWindow): Condition;
  allOf(conditions: readonly Condition[]): Condition;
  anyOf(conditions: readonly Condition[]): Condition;
}

export const allFields: readonly Field[] = Object.values(fields);

/** Fields that each text condition of a query searches. */
export const fieldsOf = {
  title: [fields.title],
  description: [fields.description],
  attachmentText: [fields.attachment],
  anywhere: allFields,
  excluded: allFields,
} satisfies Record<keyof QueryTexts, readonly Field[]>;

const wordKeys: ReadonlySet<string> = new Set(['title', 'description', 'anywhere', 'attachmentText']);

/** Returns the parts of a query that do not select entries by words, including the parts that exclude words. */
export function withoutWords<One extends Pick<Clause<unknown, unknown>, 'key' | 'excluded'>>(
  clauses: readonly One[],
): One[] {
  return clauses.filter(({ key, excluded }) => excluded || !wordKeys.has(key));
}

/**
 * Compiles the parts of a query. An entry must match every part that is not excluded, and none of the excluded ones.
 */
export function compileClauses<Condition, Expansion>(
  query: Query,
  compiler: ConditionCompiler<Condition, Expansion>,
): Clause<Condition, Expansion>[] {
  const texts = (Object.keys(fieldsOf) as (keyof QueryTexts)[]).flatMap((key) =>
    query[key].map((match) => ({ ...compiler.text(match, fieldsOf[key]), key, excluded: key === 'excluded' })),
  );
  const { window } = query;
  return [
    ...texts,
    ...usedLists(query).map((list) => ({ ...compiler.values(termPatterns(list)), key: list.key, excluded: false })),
    ...query.filters.map((filter) => ({
      ...compileFilter(filter, compiler),
      key: filter.key,
      excluded: filter.excluded,
    })),
    ...query.flags.map(({ flag, wanted }) => ({
      key: 'flags' as const,
      value: flag,
      interpretedAs: 'flag' as const,
      condition: compiler.flag(flag),
      excluded: !wanted,
    })),
    ...(window
      ? [
          {
            key: 'window' as const,
            value: '',
            interpretedAs: 'window' as const,
            condition: compiler.window(window),
            excluded: false,
          },
        ]
      : []),
  ];
}

function compileFilter<Condition, Expansion>(
  filter: ValueFilter,
  compiler: ConditionCompiler<Condition, Expansion>,
): Interpretation<Condition, Expansion> {
  if (filter.key !== 'title') return compiler.values(termPatterns(filter));
  const titles = filter.patterns.map((matches) => matches.map((match) => compiler.text(match, [fields.title])));
  return {
    value: titles.map((texts) => texts.map(({ value }) => value).join(' ')).join(', '),
    interpretedAs: 'values',
    condition: compiler.anyOf(titles.map((texts) => compiler.allOf(texts.map(({ condition }) => condition)))),
  };
}
