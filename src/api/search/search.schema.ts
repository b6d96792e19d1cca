import { filterKeys } from '../../../packages/search-language/query-text.js';
import { errorResponses, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import type { Query, SelectingKey } from '../../search/query.js';
import type { SearchExplanation } from '../../search/search-index.port.js';
import type { ListParameter } from '../../search/value-filters.js';

export const text = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));

/** Returns the schema of a parameter that is another name of `name`. */
const alias = (name: string) => Type.Optional(Type.String({ description: `Another name of \`${name}\`.` }));

const keys = filterKeys.map((key) => `\`${key}\``);

export const filterParameters = {
  text: text(
    'Words of the description, all of which must occur; `"a phrase"`; `*` and `?` are wildcards within a word.',
    'beam "lost at"',
  ),
  desc: alias('text'),
  description: alias('text'),
  title: text('Words of the title, written in the same way.', 'magnet trip'),
  phrase: text('Exactly these words, in this order, in the description.', 'vacuum leak'),
  query: text(
    `Words anywhere in the entry, including its names, values and attachments; \`-word\` excludes entries with the word; \`has:attachment\`, \`is:reply\`, \`is:edited\`, \`is:automatic\`, \`is:running\`, \`is:done\`, \`is:failed\`, \`is:abandoned\`, each also with a leading \`-\`; filters such as \`logbook="Main Ring"\`, \`-tag=alarm\`, with the keys ${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}.`,
    'quad* -test has:attachment owner=user',
  ),
  attachmenttext: text('Words inside the attachments: text, HTML and PDF.', 'interlock'),
  fuzzy: text('When present and not `false`, words that differ by one or two letters also match.', 'true'),
  owner: text('Any of these owners; `*` and `?` are wildcards.', 'user'),
  owners: alias('owner'),
  level: text('Any of these levels, by its name or one of its words; `*` and `?` are wildcards.', 'Problem,Urgent'),
  levels: alias('level'),
  logbooks: text('Any of these logbooks; `*` and `?` are wildcards.', 'operations'),
  logbook: alias('logbooks'),
  tags: text('Any of these tags; `*` and `?` are wildcards.', 'alarm'),
  tag: alias('tags'),
  device: text('Any of these devices, by its name or a part of the name; `*` and `?` are wildcards.', 'SR:C03*'),
  devices: alias('device'),
  properties: text(
    'Any of these properties, each as `name[.attribute[.value]]`; `*` and `?` are wildcards in each part.',
    'resource.name.SR*',
  ),
  property: alias('properties'),
  attachments: text(
    'When empty, any attachment; `image`, `video`, `audio`, `text` or `pdf`; otherwise a file name, in which `*` and `?` are wildcards.',
    'image',
  ),
  attachment: alias('attachments'),
  start: text('Created, or with an event, at or after this time.', '2026-03-01 06:00'),
  end: text('Created, or with an event, at or before this time. A day or a year includes all of it.', 'now'),
  includeevents: text('When `false`, `start` and `end` apply to the creation only.', 'false'),
  tz: text(
    'Time zone of `start` and `end`: an IANA name, or an offset such as `+02:00`, `GMT+2` or `Z`.',
    'Europe/Berlin',
  ),
} satisfies Record<ListParameter, object> & Record<string, object>;

export const pageParameters = {
  size: text('Number of entries on a page; default 100, at most 1000.', '20'),
  limit: alias('size'),
  page: text('Number of the page, starting at 1.', '1'),
  from: text('Number of entries to skip; takes precedence over `page`.', '0'),
  sort: text(
    '`up`: oldest first; `down` (default): newest first; `relevance`: most relevant to the words of `query` first.',
    'down',
  ),
};

export const viewParameters = {
  view: text(
    '`list`: the entries without `source` and `description`, and with a `snippet`: plain text of at most 300 characters around the first match.',
    'list',
  ),
  highlight: text(
    'When `true`, each entry has `snippet` and `highlights`: where the words of the search occur in its title and its snippet.',
    'true',
  ),
  asOf: text(
    'The `asOf` of an earlier response: entries created later are neither found nor counted. Edits are seen, so an edited entry can begin or cease to match. `now`: the current moment.',
    '4711',
  ),
  group: text(
    '`thread`: of the matching entries of each thread only the newest; `hitCount` then counts threads.',
    'thread',
  ),
};

const SearchParameters = Type.Object({ ...filterParameters, ...pageParameters });

const ListParameters = Type.Object({ ...filterParameters, ...pageParameters, ...viewParameters });

const meaning = text(
  'A text: the response also has up to 10 entries of similar meaning, in `byMeaning`, without those that contain the words of the search. Filters apply to them too. If the response lacks `byMeaning`, entries could not be compared at the moment.',
  'transmitter went off',
);

export const SimilarSchema = Type.Array(
  Type.Object({
    entry: Type.Ref('ViewedEntry'),
    like: Type.Array(Type.String(), {
      description: 'At most three devices and words of the entry that are most similar.',
      examples: [['Klystron', 'tripped']],
    }),
  }),
  { description: 'Entries of similar meaning, most similar first.' },
);

const ExplainedSearchParameters = Type.Object({
  ...filterParameters,
  ...pageParameters,
  ...viewParameters,
  meaning,
  explain: text('When `true`, the response explains how each part was interpreted.', 'true'),
});

const SearchExplanationSchema = Type.Object(
  {
    parts: Type.Array(
      Type.Object({
        parameter: Type.String({ description: 'The parameter that the part belongs to.', examples: ['text'] }),
        value: Type.String({
          description: 'The value searched for, in the folded form in which it is compared.',
          examples: ['quad*'],
        }),
        interpretedAs: Type.String({
          description: '`word`, `phrase`, `wildcard`, `fuzzy`, `values`, `flag` or `window`.',
          examples: ['wildcard'],
        }),
        excluded: Type.Boolean({ description: 'Whether matching entries are left out.', examples: [false] }),
        hitCount: Type.Integer({ description: 'Number of entries that match this part alone.', examples: [12] }),
        expansion: Type.Optional(
          Type.Object(
            {
              count: Type.Integer({
                description: 'Number of matching terms; of a wildcard, at most 20,000.',
                examples: [2],
              }),
              terms: Type.Array(Type.String(), {
                description: 'At most 100 of the terms.',
                examples: [['quad', 'quads']],
              }),
            },
            { description: 'The terms that a wildcard or a fuzzy word matches.' },
          ),
        ),
        suggestions: Type.Optional(
          Type.Array(Type.String(), {
            description: 'When no entry matches this part, existing words or values with a similar spelling.',
            examples: [['quads']],
          }),
        ),
      }),
      { description: 'The parts of the search, all of which must match.' },
    ),
    window: Type.Optional(
      Type.Object(
        {
          start: Type.Union([Type.String(), Type.Null()], { examples: ['2026-03-01T05:00:00.000Z'] }),
          end: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
          zone: Type.String({ description: 'The time zone of times without one.', examples: ['Europe/Berlin'] }),
          includeEvents: Type.Boolean({ examples: [true] }),
        },
        { description: 'The time window, both ends included; null for an open end.' },
      ),
    ),
    unmatchedPart: Type.Optional(
      Type.Integer({
        description: 'When nothing matches, the index in `parts` of the part that excluded the last match.',
        examples: [0],
      }),
    ),
  },
  { description: 'How the search was interpreted.' },
);

const HitSchema = Type.Union([Type.Ref('Entry'), Type.Ref('ViewedEntry')]);

export const SearchResultSchema = Type.Object(
  {
    hitCount: Type.Integer({ description: 'The exact number of matching entries.', examples: [42] }),
    logs: Type.Array(HitSchema, { description: 'The entries of the page.' }),
    asOf: Type.Optional(
      Type.Integer({
        description:
          'With `view`, `highlight`, `group` or `asOf`: the moment of the search, to be sent with requests for later pages.',
        examples: [4711],
      }),
    ),
    explain: Type.Optional(SearchExplanationSchema),
    byMeaning: Type.Optional(SimilarSchema),
  },
  { description: 'The page and the number of matches.' },
);

/** The parameter from which each field of the query is read. */
const parameters: Readonly<Record<SelectingKey, keyof typeof filterParameters | 'start, end'>> = {
  description: 'text',
  title: 'title',
  anywhere: 'query',
  excluded: 'query',
  flags: 'query',
  attachmentText: 'attachmenttext',
  owners: 'owner',
  levels: 'level',
  logbooks: 'logbooks',
  tags: 'tags',
  devices: 'device',
  properties: 'properties',
  attachments: 'attachments',
  window: 'start, end',
};

export function toExplanationView(explanation: SearchExplanation, { window, zone }: Query): object {
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    parts: explanation.parts.map(({ key, value, interpretedAs, excluded, hitCount, expansion, suggestions }) => ({
      parameter: parameters[key],
      value,
      interpretedAs,
      excluded,
      hitCount,
      ...(expansion && { expansion: { count: expansion.count, terms: expansion.terms } }),
      ...(suggestions && { suggestions }),
    })),
    ...(window && {
      window: { start: iso(window.startMs), end: iso(window.endMs), zone, includeEvents: window.includeEvents },
    }),
    ...(explanation.unmatchedPart !== undefined && { unmatchedPart: explanation.unmatchedPart }),
  };
}

export const searchTags = ['Search'];
const tags = searchTags;
const errors = errorResponses(...readErrors);

export const listEntriesSchema = {
  tags,
  operationId: 'listEntries',
  summary: 'Search, as a list',
  description: 'The matching entries of one page. All parameters must match; unknown ones are ignored.',
  querystring: ListParameters,
  response: { 200: Type.Array(HitSchema, { description: 'The entries of the page.' }), ...errors },
};

export const searchEntriesSchema = {
  tags,
  operationId: 'searchEntries',
  summary: 'Search, with the number of matches',
  description: 'The matching entries of one page, and the exact number of all matching entries.',
  querystring: ExplainedSearchParameters,
  response: { 200: SearchResultSchema, ...errors },
};

export const feedEntriesSchema = {
  tags,
  operationId: 'feedEntries',
  summary: 'Search, as an RSS feed',
  description:
    'RSS 2.0 with the same parameters; newest first, by default the last 7 days, at most 100 entries. The status of a run is a category of the domain `run`. Send the `ETag` back as `If-None-Match`: while nothing has changed, the response is 304.',
  querystring: SearchParameters,
  response: {
    200: { description: 'The feed.', content: { 'application/rss+xml': { schema: Type.String() } } },
    304: { description: 'Nothing has changed.' },
    ...errors,
  },
};
