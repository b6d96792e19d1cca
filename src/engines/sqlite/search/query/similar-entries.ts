import type { TokenVectors } from '../../../../../packages/token-vectors/token-vectors.js';
import {
  bestFirst,
  type ComparedText,
  listSharedTerms,
  type SharedTerm,
  type Similarity,
  similarityOf,
  weigh,
} from '../../../similarity.js';
import type { Connection } from '../../database/connection.js';
import { and, type Container, empty } from '../index/containers.js';
import type { QueryCompiler } from './compile-query.js';
import type { CreationOrder } from './creation-order.js';
import { contains, type EntrySet, toEntrySet } from './entry-set.js';
import { cosinesOf, nearestBySignature } from './nearest-entries.js';

/** Number of entries, chosen by their signatures, whose vectors are compared. */
const maxNear = 1_000;
/** Number of the newest entries compared for each word and device. */
const maxWithTerm = 200;

export interface SimilarDeps {
  readonly index: Connection;
  readonly order: CreationOrder;
  readonly compiler: QueryCompiler;
  readonly vectors: TokenVectors;
  readonly checkTime: () => void;
}

/** Returns the most similar entries, best first; entries with equal scores newest first. */
export function findSimilar(
  deps: SimilarDeps,
  among: EntrySet,
  to: ComparedText,
  size: number,
): (Similarity & { readonly id: number })[] {
  const vector = deps.vectors.embed(to.texts);
  const shared = listSharedTerms(to).map((term) => {
    const entries = entriesWith(deps, among, term);
    return { group: term.group, entries, count: entries.count };
  });
  const terms = weigh(shared, among.count);
  const candidates = new Set(
    nearestBySignature(deps.index, among, vector, { limit: maxNear, checkTime: deps.checkTime }),
  );
  for (const { group, entries } of terms) {
    if (group !== 'words' && group !== 'devices') continue;
    for (const id of deps.order.page(entries, 'newest', 0, maxWithTerm)) candidates.add(id);
  }
  return Array.from(cosinesOf(deps.index, [...candidates], vector))
    .flatMap(([id, near]) => {
      const similarity = similarityOf(near, terms, ({ entries }) => contains(entries, id));
      return similarity ? [{ id, ...similarity }] : [];
    })
    .sort(bestFirst)
    .slice(0, size);
}

function entriesWith({ compiler, order, checkTime }: SimilarDeps, among: EntrySet, { is }: SharedTerm): EntrySet {
  checkTime();
  if ('createdFromMs' in is) return within(order.createdIn(is.createdFromMs, is.createdToMs), among);
  const condition = compiler.has(is.kind, is.name);
  return within((chunk) => condition.idsIn(chunk), among);
}

const within = (idsIn: (chunk: number) => Container, among: EntrySet): EntrySet =>
  toEntrySet(among.chunks.map((container, chunk) => (container.length === 0 ? empty : and(container, idsIn(chunk)))));
