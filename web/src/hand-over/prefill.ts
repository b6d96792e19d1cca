import type { TFunction } from 'i18next';
import type { Hit } from '../api/types.ts';
import { formatTime } from '../components/format.ts';
import { levelRank } from '../components/level.tsx';
import { escapeMarkdown } from './escape-markdown.ts';

interface LevelCount {
  readonly name: string;
  readonly count: number;
}

/** Returns the initial text of a hand-over: what happened, what is open, and room for the next shift. */
export function handOverText(
  t: TFunction<'hand-over'>,
  counts: readonly LevelCount[],
  unanswered: readonly Hit[],
): string {
  const happened = [...counts]
    .sort((a, b) => levelRank(a.name) - levelRank(b.name))
    .map(({ name, count }) => `${count} ${escapeMarkdown(name)}`)
    .join(', ');
  const open = unanswered.map(
    ({ id, title, level, createdDate, owner, ownerName }) =>
      `- [${escapeMarkdown(title)}](/entries/${id}), ${escapeMarkdown(level)}, ${formatTime(createdDate)}, ${escapeMarkdown(ownerName ?? owner)}`,
  );
  return [
    happened === '' ? t('nothingHappened') : t('happened', { counts: happened }),
    ...(open.length > 0 ? [`**${t('unanswered', { count: open.length })}**\n\n${open.join('\n')}`] : []),
    `**${t('forNextShift')}**\n\n- `,
  ].join('\n\n');
}
