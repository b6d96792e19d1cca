import { Type } from 'typebox';
import { errorResponses, readErrors } from '../../http/common.schema.js';
import type { SearchFacets } from '../../search/search-index.port.js';
import { timeIntervals } from '../../search/time-buckets.js';
import { filterParameters, searchTags, text } from './search.schema.js';

const FacetParameters = Type.Object({
  ...filterParameters,
  interval: text(
    `Length of the time buckets: ${timeIntervals.join(', ')}; by default, one that gives few buckets.`,
    'month',
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
          }),
        ),
      },
      { description: 'Matches by time of creation, oldest first, without gaps.' },
    ),
  },
  { description: 'Number of matching entries by logbook, tag, level, owner and time.' },
);

export function toFacetsView({ hitCount, logbooks, tags, levels, owners, time }: SearchFacets, zone: string): object {
  const buckets = time.buckets.map(({ startMs, count }) => ({ start: startMs, count }));
  return { hitCount, logbooks, tags, levels, owners, time: { interval: time.interval, zone, buckets } };
}

export const countEntriesSchema = {
  tags: searchTags,
  operationId: 'countEntries',
  summary: 'Count by logbook, tag, level, owner and time',
  description: 'Takes the parameters of the search, except those for pages.',
  querystring: FacetParameters,
  response: { 200: SearchFacetsSchema, ...errorResponses(...readErrors) },
};
