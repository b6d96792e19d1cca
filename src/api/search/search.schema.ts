import { Type } from 'typebox';
import type { Query } from '../../search/query.js';
import type { SearchExplanation, SearchFacets } from '../../search/search-index.port.js';
import { timeIntervals } from '../../search/time-buckets.js';

const text = (description: string, example: string) => Type.Optional(Type.String({ description, examples: [example] }));

export const filterParameters = {
  text: text(
    'Words of the description, all of them; `"a phrase"`; `*` and `?` within a word. Also `desc`, `description`.',
    'beam "lost at"',
  ),
  title: text('Words of the title, in the same way.', 'magnet trip'),
  phrase: text('Exactly these words, one after the other, in the description.', 'vacuum leak'),
  query: text(
    'Words anywhere in the entry, its names, values and attachments included; `-word` is nowhere; `has:attachment`, `is:reply`, `is:edited`, and each with a `-` before it.',
    'quad* -test has:attachment',
  ),
  attachmenttext: text('Words inside the attachments: text, HTML and PDF.', 'interlock'),
  fuzzy: text('Present and not `false`: words with one or two other letters match too.', 'true'),
  owner: text('Owners, any of them; `*` and `?`.', 'user'),
  level: text('Levels, any of them; `*` and `?`.', 'Problem,Urgent'),
  logbooks: text('Logbooks, any of them; `*` and `?`.', 'operations'),
  tags: text('Tags, any of them; `*` and `?`.', 'alarm'),
  properties: text('`name[.attribute[.value]]`, any of them; `*` and `?` in each part.', 'resource.name.SR*'),
  attachments: text(
    'Empty: any file; `image`, `video`, `audio`, `text`, `pdf`; else a file name with `*` and `?`.',
    'image',
  ),
  start: text('Created, or with an event, at that time or later.', '2026-03-01 06:00'),
  end: text('Created, or with an event, at that time or earlier.', 'now'),
  includeevents: text('`false`: `start` and `end` look at the creation alone.', 'false'),
  tz: text('IANA zone of `start` and `end`.', 'Europe/Berlin'),
};

const pageParameters = {
  size: text('Entries on a page; default 100, at most 1000. Also `limit`.', '20'),
  page: text('Which page, from 1.', '1'),
  from: text('How many entries to skip; wins over `page`.', '0'),
  sort: text(
    '`up`: oldest first; `down` (default): newest first; `relevance`: those first that are the most about the words of `query`.',
    'down',
  ),
};

export const SearchParameters = Type.Object({ ...filterParameters, ...pageParameters });

export const ExplainedSearchParameters = Type.Object({
  ...filterParameters,
  ...pageParameters,
  explain: text('`true`: the answer says how each part was understood.', 'true'),
});

export const FacetParameters = Type.Object({
  ...filterParameters,
  interval: text(`Length of the stretches of time: ${timeIntervals.join(', ')}; default: one that makes few.`, 'month'),
});

const SearchExplanationSchema = Type.Object(
  {
    parts: Type.Array(
      Type.Object({
        parameter: Type.String({ description: 'The parameter that it comes from.', examples: ['text'] }),
        asked: Type.String({ description: 'What was asked for, as it is compared.', examples: ['quad*'] }),
        interpretedAs: Type.String({
          description: '`word`, `phrase`, `wildcard`, `fuzzy`, `values`, `trait` or `window`.',
          examples: ['wildcard'],
        }),
        excluded: Type.Boolean({ description: 'Whether entries that meet it are left out.', examples: [false] }),
        hitCount: Type.Integer({ description: 'Entries that meet this part alone.', examples: [12] }),
        expansion: Type.Optional(
          Type.Object(
            {
              count: Type.Integer({ description: 'How many terms it stands for.', examples: [2] }),
              terms: Type.Array(Type.String(), { description: 'At most 100 of them.', examples: [['quad', 'quads']] }),
            },
            { description: 'Of a wildcard or a fuzzy word.' },
          ),
        ),
        nearest: Type.Optional(
          Type.Array(Type.String(), {
            description: 'Where nothing meets it: what there is that is spelled nearly so.',
            examples: [['quads']],
          }),
        ),
      }),
      { description: 'All of them must be met.' },
    ),
    window: Type.Optional(
      Type.Object(
        {
          start: Type.Union([Type.String(), Type.Null()], { examples: ['2026-03-01T05:00:00.000Z'] }),
          end: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
          zone: Type.String({ description: 'In which times without one were read.', examples: ['Europe/Berlin'] }),
          includeEvents: Type.Boolean({ examples: [true] }),
        },
        { description: 'The time window, both ends included; null: open.' },
      ),
    ),
    unmatchedPart: Type.Optional(
      Type.Integer({
        description: 'When nothing matches: the part that left nothing, by its place in `parts` from 0.',
        examples: [0],
      }),
    ),
  },
  { description: 'How the search was understood.' },
);

export const SearchAnswerSchema = Type.Object(
  {
    hitCount: Type.Integer({ description: 'How many entries match, exactly.', examples: [42] }),
    logs: Type.Array(Type.Ref('Entry'), { description: 'The entries of the page.' }),
    explain: Type.Optional(SearchExplanationSchema),
  },
  { description: 'The page.' },
);

/** By the part of the query, the parameter that it comes from. */
const parameterOf: Partial<Record<keyof Query, string>> = {
  description: 'text',
  title: 'title',
  anywhere: 'query',
  excluded: 'query',
  traits: 'query',
  attachmentText: 'attachmenttext',
  owners: 'owner',
  levels: 'level',
  logbooks: 'logbooks',
  tags: 'tags',
  properties: 'properties',
  attachments: 'attachments',
  window: 'start, end',
};

export function toExplanationView(explanation: SearchExplanation, { window, zone }: Query): object {
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    parts: explanation.parts.map(({ key, asked, interpretedAs, excluded, hitCount, expansion, nearest }) => ({
      parameter: parameterOf[key] ?? key,
      asked,
      interpretedAs,
      excluded,
      hitCount,
      ...(expansion && { expansion: { count: expansion.count, terms: expansion.terms } }),
      ...(nearest && { nearest }),
    })),
    ...(window && {
      window: { start: iso(window.startMs), end: iso(window.endMs), zone, includeEvents: window.includeEvents },
    }),
    ...(explanation.unmatchedPart !== undefined && { unmatchedPart: explanation.unmatchedPart }),
  };
}

const ValueCountsSchema = (what: string, example: string) =>
  Type.Object(
    {
      distinct: Type.Integer({ description: 'How many different ones there are.', examples: [1] }),
      values: Type.Array(
        Type.Object({ name: Type.String({ examples: [example] }), count: Type.Integer({ examples: [42] }) }),
        { description: 'The most frequent first, at most 1,000.' },
      ),
    },
    { description: what },
  );

export const SearchFacetsSchema = Type.Object(
  {
    hitCount: Type.Integer({ description: 'How many entries match, exactly.', examples: [42] }),
    logbooks: ValueCountsSchema('Matches by logbook; an entry may be in several.', 'operations'),
    tags: ValueCountsSchema('Matches by tag.', 'alarm'),
    levels: ValueCountsSchema('Matches by level.', 'Info'),
    owners: ValueCountsSchema('Matches by owner.', 'user'),
    time: Type.Object(
      {
        interval: Type.String({ description: timeIntervals.join(', '), examples: ['month'] }),
        zone: Type.String({ description: 'In which the stretches begin.', examples: ['Europe/Berlin'] }),
        buckets: Type.Array(
          Type.Object({
            start: Type.Integer({
              description: 'Milliseconds since the epoch; it ends where the next one begins.',
              examples: [1772319600000],
            }),
            count: Type.Integer({ examples: [42] }),
          }),
        ),
      },
      { description: 'Matches by creation, oldest first, without a gap.' },
    ),
  },
  { description: 'Of the matching entries, how many have what.' },
);

export function toFacetsView({ hitCount, logbooks, tags, levels, owners, time }: SearchFacets, zone: string): object {
  const buckets = time.buckets.map(({ startMs, count }) => ({ start: startMs, count }));
  return { hitCount, logbooks, tags, levels, owners, time: { interval: time.interval, zone, buckets } };
}
