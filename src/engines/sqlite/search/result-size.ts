import type { SuccessfulResult } from '../workers/messages.js';

/** Generous estimate of the size of a value with its count. */
const valueBytes = 200;
/** Size of an explanation in memory, as a multiple of its text. */
const explanationFactor = 8;

/** Estimates the size of a result in memory, in bytes. */
export function sizeOf(result: SuccessfulResult): number {
  switch (result.kind) {
    case 'page': {
      const { entries, explanation } = result.page;
      const versions = entries.kind === 'long' ? entries.versions : entries.kind === 'begun' ? entries.rest : [];
      const explained = explanation ? explanationFactor * JSON.stringify(explanation).length : 0;
      return versions.length * valueBytes + (entries.kind === 'long' ? 0 : entries.json.byteLength) + explained;
    }
    case 'facets': {
      const { hitCount: _hitCount, time, ...facets } = result.facets;
      const counts = Object.values(facets).map(({ values }) => values.length);
      const ofBuckets = time.buckets.map(({ levels: inBucket }) => 1 + Object.keys(inBucket).length);
      return valueBytes * [...counts, ...ofBuckets].reduce((sum, count) => sum + count, 0);
    }
    case 'suggested':
      return valueBytes * result.values.length;
    default:
      return 0;
  }
}
