import { InnerAnswerTooLong } from '../../http/request/inner-request.js';
import { Type } from '../../kernel/json-schema.js';
import { type ApiEntry, iso, textLimits, toListed, toWhole } from './entry-answer.js';
import { shiftAt } from './shift-at.js';
import { type Tool, type ToolCall, ToolFailure } from './tool.js';

const maxListed = 50;
const maxInThread = 20;

const text = (description: string, maxLength = 2_000) => Type.Optional(Type.String({ description, maxLength }));

/** Parameters by which a search selects entries, with the names of the REST API. */
const filters = {
  query: text(
    'Words anywhere in the entry, all of which must occur. "A phrase", wild*cards, -excluded, has:attachment, is:reply, -is:automatic, is:running, and filters such as level=Problem, tag="Main Ring" or owner=jane. Empty: all entries.',
  ),
  logbooks: text('Any of these logbooks, separated by commas.'),
  tags: text('Any of these tags, separated by commas.'),
  level: text('Any of these levels, separated by commas.'),
  owner: text('Any of these owners, separated by commas.'),
  start: text('Not before this time: ISO 8601, or relative such as "8 hours", "2 days".', 100),
  end: text('Not after this time, written in the same way.', 100),
};

type Filters = Readonly<Partial<Record<keyof typeof filters, string>>>;

interface Page {
  readonly hitCount: number;
  readonly logs: readonly ApiEntry[];
  readonly byMeaning?: readonly ApiSimilarEntry[];
}

/** A similar entry of the REST API, with the devices and words that it shares. */
interface ApiSimilarEntry {
  readonly entry: ApiEntry;
  readonly like: readonly string[];
}

const closed = { additionalProperties: false } as const;

type SearchArguments = Filters & {
  readonly meaning?: string;
  readonly sort?: string;
  readonly size?: number;
  readonly page?: number;
};

const notCompared = 'Entries could not be compared by meaning: there may be similar ones. Search again in a moment.';

/** Explains two fields of entries. */
const entryFields =
  'An entry with “run” grows in steps: while its “status” is running or abandoned, more may follow. “automatic” means that a program wrote it.';

const searchEntries: Tool = {
  name: 'searchEntries',
  title: 'Search the logbook',
  description: `Finds entries, newest first, each with the beginning of its text. ${entryFields} “hitCount” is exact; 0 means that the reader can read no such entry. Use getEntry for a whole text, and more pages for more entries. With “meaning”, “byMeaning” also has entries that say something similar in other words; “notCompared” says that they could not be searched. With “meaning” alone, the answer has only these.`,
  writes: false,
  inputSchema: Type.Object(
    {
      ...filters,
      meaning: text('What to look for, in any words, such as "transmitter went off". Filters apply.'),
      sort: Type.Optional(Type.String({ enum: ['down', 'up', 'relevance'], description: 'down: newest first.' })),
      size: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxListed, description: 'Entries per page; default 20.' }),
      ),
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Number of the page, from 1.' })),
    },
    closed,
  ),
  run: async (call, { size = 20, page = 1, ...others }: SearchArguments) => {
    const found = await findPage(call, { ...others, size: String(size), page: String(page) });
    const isIncomplete = others.meaning?.trim() && !found.byMeaning;
    // The entries are those of the whole logbook, which have nothing to do with the meaning.
    if (others.meaning?.trim() && !Object.keys(filters).some((name) => others[name as keyof Filters]?.trim())) {
      return found.byMeaning ? { byMeaning: found.byMeaning } : { notCompared };
    }
    return { ...found, page, hasMore: page * size < found.hitCount, ...(isIncomplete && { notCompared }) };
  },
};

async function findPage(call: ToolCall, params: Readonly<Record<string, string | undefined>>) {
  const { hitCount, logs, byMeaning } = (await get(call, '/logs/search', { ...params, view: 'list' })) as Page;
  const entries = logs.map((entry) => toListed(entry, call.link));
  return { hitCount, entries, ...(byMeaning && { byMeaning: toSimilar(byMeaning, call) }) };
}

const toSimilar = (similar: readonly ApiSimilarEntry[], { link }: ToolCall) =>
  similar.map(({ entry, like }) => ({ ...toListed(entry, link), like }));

const listSimilarEntries: Tool = {
  name: 'listSimilarEntries',
  title: 'List similar entries',
  description:
    'Returns at most 10 entries whose meaning or devices are most similar to those of an entry, most similar first. Use it to find out whether something has happened before. “like” has the devices and words that are most similar.',
  writes: false,
  inputSchema: Type.Object({ id: Type.Integer({ minimum: 0, description: 'Id of the entry.' }), ...filters }, closed),
  run: async (call, { id, ...others }: Filters & { id: number }) => ({
    entries: toSimilar((await get(call, `/logs/${id}/similar`, others)) as ApiSimilarEntry[], call),
  }),
};

const countEntries: Tool = {
  name: 'countEntries',
  title: 'Count entries',
  description: 'Counts the entries that a search finds, by logbook, level, tag, owner and property.',
  writes: false,
  inputSchema: Type.Object(filters, closed),
  run: (call, params: Filters) => count(call, params),
};

interface Facet {
  readonly values: readonly { readonly name: string; readonly count: number }[];
}

async function count(call: ToolCall, params: Filters & { readonly includeevents?: string }) {
  const facets = (await get(call, '/logs/facets', params)) as Record<string, Facet> & { readonly hitCount: number };
  const kinds = ['logbooks', 'levels', 'tags', 'owners', 'properties'] as const;
  const counts = kinds.map((kind) => [
    kind,
    (facets[kind]?.values ?? []).map(({ name, count: n }) => ({ name, count: n })),
  ]);
  return { hitCount: facets.hitCount, counts: Object.fromEntries(counts) as object };
}

const getEntry: Tool = {
  name: 'getEntry',
  title: 'Read an entry',
  description: `Returns an entry with its whole text, its properties and the names of its files. ${entryFields}`,
  writes: false,
  inputSchema: Type.Object({ id: Type.Integer({ minimum: 0, description: 'Id of the entry.' }) }, closed),
  run: async (call, { id }: { id: number }) => ({
    entry: toWhole((await get(call, `/logs/${id}`)) as ApiEntry, call.link, textLimits.alone),
  }),
};

const getThread: Tool = {
  name: 'getThread',
  title: 'Read a thread',
  description:
    'Returns the entries of a thread (an entry and its replies, or entries that a user grouped) with their texts, oldest first.',
  writes: false,
  inputSchema: Type.Object(
    {
      threadId: Type.String({ minLength: 1, maxLength: 500, description: 'The “threadId” of an entry.' }),
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'Number of the page, from 1.' })),
    },
    closed,
  ),
  run: async (call, { threadId, page = 1 }: { threadId: string; page?: number }) => {
    const from = (page - 1) * maxInThread;
    const path = `/threads/${encodeURIComponent(threadId)}`;
    const read = async (size: number, at: number) =>
      (await get(call, path, { size: String(size), from: String(at) })) as Page;
    const toEntries = ({ logs }: Page) => logs.map((entry) => toWhole(entry, call.link, textLimits.inList));
    const { hitCount, entries } = await read(maxInThread, from).then(
      (found) => ({ hitCount: found.hitCount, entries: toEntries(found) }),
      async (error: unknown) => {
        if (!(error instanceof InnerAnswerTooLong)) throw error;
        return readSingly((at) => read(1, at), toEntries, from);
      },
    );
    return { hitCount, entries, page, hasMore: page * maxInThread < hitCount };
  },
};

/** Reads a page of a thread whose entries are too long together one by one, and keeps only the cut texts. */
async function readSingly<T>(read: (at: number) => Promise<Page>, toEntries: (page: Page) => T[], from: number) {
  const entries: T[] = [];
  let hitCount = from + 1;
  for (let at = from; at < Math.min(hitCount, from + maxInThread); at++) {
    const found = await read(at);
    hitCount = found.hitCount;
    entries.push(...toEntries(found));
  }
  return { hitCount, entries };
}

const getShiftMaterial: Tool = {
  name: 'getShiftMaterial',
  title: 'Read what happened in a shift',
  description:
    'Returns the times of a shift, the counts of its entries, and its entries, oldest first: material for a shift summary.',
  writes: false,
  inputSchema: Type.Object(
    {
      at: text('A time within the shift, as ISO 8601 with an offset. Default: now.', 100),
      previous: Type.Optional(Type.Boolean({ description: 'Whether to take the previous shift.' })),
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'Number of the page, from 1.' })),
    },
    closed,
  ),
  run: async (call, { at, previous = false, page = 1 }: { at?: string; previous?: boolean; page?: number }) => {
    // `Date.parse` would take “shift 3” for a date of 2001.
    const isTime = at === undefined || /^\d{4}-\d{2}-\d{2}/.test(at.trim());
    const atMs = at === undefined ? call.nowMs : Date.parse(at);
    // Rejects invalid dates, and years that the search does not accept.
    if (!isTime || !(Math.abs(atMs) < 4e12))
      throw new ToolFailure('refused', 'search.bad-time', '“at” is not a time such as 2026-03-01T06:00Z.');
    const named = shiftAt(atMs, call.plan);
    const shift = previous ? shiftAt(named.startMs - 1, call.plan) : named;
    const range = { start: iso(shift.startMs), end: iso(shift.endMs - 1), includeevents: 'false' };
    const listed = { ...range, sort: 'up', size: String(maxListed), page: String(page) };
    const [{ counts }, found] = await Promise.all([count(call, range), findPage(call, listed)]);
    return {
      shift: { name: shift.name, start: iso(shift.startMs), end: iso(shift.endMs) },
      counts,
      ...found,
      page,
      hasMore: page * maxListed < found.hitCount,
    };
  },
};

function get(
  call: ToolCall,
  path: string,
  params: Readonly<Record<string, string | undefined>> = {},
): Promise<unknown> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, value);
  return call.ask({ method: 'GET', path: query.size === 0 ? path : `${path}?${query}` });
}

export const readingTools: readonly Tool[] = [
  searchEntries,
  listSimilarEntries,
  countEntries,
  getEntry,
  getThread,
  getShiftMaterial,
];
