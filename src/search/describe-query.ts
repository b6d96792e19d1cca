import type { Query } from './query.js';

const maxLength = 1_000;

/**
 * Returns a query as the service understood it, for the log: as JSON without ineffective parts, at most 1,000
 * characters. The logbooks that the user must not read are counted, not named.
 */
export function describeQuery({ hiddenLogbooks, perGroup: perThread, ...query }: Query): string {
  const hasEffect = ([, value]: [string, unknown]) => !(Array.isArray(value) && value.length === 0);
  const parts = {
    ...Object.fromEntries(Object.entries(query).filter(hasEffect)),
    ...(perThread && { perThread }),
    ...(hiddenLogbooks.length > 0 && { hiddenLogbooks: hiddenLogbooks.length }),
  };
  const text = JSON.stringify(parts);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
