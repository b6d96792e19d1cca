import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import type { SearchFacets } from '../../search/search-index.port.js';
import { timeIntervals } from '../../search/time-buckets.js';
import { filterParameters, searchTags, text } from './search.schema.js';

export const facetIntervals = ['auto', ...timeIntervals] as const;

const FacetParameters = Type.Object({
  ...filterParameters,
  interval: text(
    `Length of the time buckets: ${facetIntervals.join(', ')}. \`auto\`: the shortest with at most \`buckets\`. By default, an hour or more, with few buckets.`,
    'month',
  ),
  buckets: text(
    'Maximum number of buckets with `interval=auto`; default 60. With it, or with `interval=auto`, the buckets cover the whole time window, up to now if it has no end.',
    '60',
  ),
  facetsExcludeOwn: text(
    'When `true`, logbooks, tags, levels, owners, devices and properties are each counted without their own filter, to show what else could be chosen.',
    'true',
  ),
});

const ValueCountsSchema = (description: string, example: string) =>
  Type.Object(
    {
      distinct: Type.Integer({ description: 'Number of different values.', examples: [1] }),
      values: Type.Array(
        Type.Object({ name: Type.String({ examples: [example] }), count: Type.Integer({ examples: [42] }) }),
        { description: 'The values, most frequent first, at most 1,000.' },
      ),
    },
    { description },
  );

const SearchFacetsSchema = Type.Object(
  {
    hitCount: Type.Integer({ description: 'The exact number of matching entries.', examples: [42] }),
    logbooks: ValueCountsSchema('Matches by logbook; an entry may be in several.', 'operations'),
    tags: ValueCountsSchema('Matches by tag.', 'alarm'),
    levels: ValueCountsSchema('Matches by level.', 'Info'),
    owners: ValueCountsSchema('Matches by owner.', 'user'),
    devices: ValueCountsSchema('Matches by device name; an entry may have several.', 'SR:C03-MG:G02A{Quad:1}'),
    properties: ValueCountsSchema('Matches by the name of a property; an entry may have several.', 'device'),
    time: Type.Object(
      {
        interval: Type.String({ description: timeIntervals.join(', '), examples: ['month'] }),
        zone: Type.String({ description: 'The time zone in which the buckets begin.', examples: ['Europe/Berlin'] }),
        buckets: Type.Array(
          Type.Object({
            start: Type.Integer({
              description: 'Start in milliseconds since the epoch; the bucket ends where the next one starts.',
              examples: [1772319600000],
            }),
            count: Type.Integer({ examples: [42] }),
            levels: Type.Record(Type.String(), Type.Integer(), {
              description:
                'Matches by level, for the twenty levels with the most matches; levels without matches are left out.',
              examples: [{ Info: 40, Problem: 2 }],
            }),
          }),
        ),
        from: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'Start of the first bucket; null without buckets.',
          examples: [1772319600000],
        }),
        to: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'End of the last bucket, not included; null without buckets.',
          examples: [1774994400000],
        }),
      },
      { description: 'Matches by time of creation, oldest first, without gaps.' },
    ),
  } satisfies Record<keyof SearchFacets, object>,
  { description: 'Number of matching entries by logbook, tag, level, owner, device, property and time.' },
);

export function toFacetsView({ time, ...counts }: SearchFacets, zone: string): object {
  const buckets = time.buckets.map(({ startMs, count, levels: inBucket }) => ({
    start: startMs,
    count,
    levels: inBucket,
  }));
  const range = { from: time.fromMs ?? null, to: time.toMs ?? null };
  return { ...counts, time: { interval: time.interval, zone, buckets, ...range } };
}

export const countEntriesSchema = {
  tags: searchTags,
  operationId: 'countEntries',
  summary: 'Count by logbook, tag, level, owner, device, property and time',
  description: 'Takes the parameters of the search, except those for pages.',
  querystring: FacetParameters,
  response: { 200: SearchFacetsSchema, ...errorResponses(...readErrors) },
};
