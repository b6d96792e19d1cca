import type { Query } from '../../search/query.js';
import { fieldWeights, maxRanked, recencyGain, recencyHalfLifeMs } from '../ranking.js';
import { fields } from '../search-terms.js';
import { compileText, type Filter } from './compile-query.js';
import { type FoundPage, findPage } from './find-page.js';
import { phraseWord } from './index-document.js';
import { phrasesIn } from './index-mapping.js';
import type { IndexSnapshot } from './search-requests.js';

/** Finds a page of matching documents, the most relevant first. */
export async function findByRelevance(snapshot: IndexSnapshot, filter: Filter, query: Query): Promise<FoundPage> {
  const { from, size } = query;
  const scored = await ranking(snapshot, filter, query);
  const isRanked = from + size <= maxRanked;
  const ranked = await snapshot.search({ filter, scored, ...(isRanked ? { from, size } : { size: maxRanked }) });
  if (isRanked) return ranked;
  const page = ranked.hits.slice(from, from + size);
  const known = ranked.hits.map(({ id }) => id);
  const others: Filter = { bool: { filter: [filter], must_not: [{ terms: { id: known } }] } };
  const rest = { from: Math.max(0, from - known.length), size: size - page.length };
  const { hits } = await findPage(snapshot, others, 'newest', rest);
  return { count: ranked.count, hits: [...page, ...hits] };
}

async function ranking(snapshot: IndexSnapshot, filter: Filter, query: Query): Promise<Filter> {
  const { aggregations } = await snapshot.search({ filter, aggregations: { newest: { max: { field: 'created' } } } });
  const origin = aggregations.newest?.value ?? 0;
  const decay = { exp: { created: { origin, scale: recencyHalfLifeMs, decay: 0.5 } }, weight: recencyGain };
  return {
    function_score: {
      query: { bool: { should: query.anywhere.flatMap((match) => scoresOf(match, query.hiddenLogbooks.length > 0)) } },
      functions: [{ weight: 1 }, decay],
      score_mode: 'sum',
      boost_mode: 'multiply',
    },
  };
}

/** @param isRestricted whether entries are hidden from the user; the rarity of a word could reveal their contents */
function scoresOf(match: Query['anywhere'][number], isRestricted: boolean): Filter[] {
  return Object.values(fields).map((field) => {
    const boost = fieldWeights[field];
    if (match.kind === 'phrase' && !isRestricted) {
      const query = match.words.map(phraseWord).join(' ');
      return { match_phrase: { [phrasesIn(field)]: { query, boost } } };
    }
    return { constant_score: { filter: compileText(match, [field]).condition, boost } };
  });
}
