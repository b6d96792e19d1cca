import { diffWordsWithSpace } from 'diff';

/** Shows a text with its additions underlined and, with `withRemoved`, its removals struck out. */
export function WordDiff({
  from,
  to,
  withRemoved = true,
}: {
  readonly from: string;
  readonly to: string;
  readonly withRemoved?: boolean;
}) {
  return diffWordsWithSpace(from, to).map(({ added, removed, value }, at) => {
    const key = `${at}${value.slice(0, 8)}`;
    if (added) return <ins key={key}>{value}</ins>;
    if (removed) return withRemoved ? <del key={key}>{value}</del> : null;
    return <span key={key}>{value}</span>;
  });
}
