import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { Bootstrap } from '../../api/types.ts';
import type { Draft, DraftContent } from '../../drafts/draft.ts';
import { timesOf, withTimes } from '../../drafts/draft-times.ts';
import { useMe } from '../../session/me.ts';
import type { DraftProblems } from '../check-draft.ts';
import { SimilarToDraft } from '../similar-to-draft.tsx';
import './details.css';
import { LevelField } from './level-field.tsx';
import { PropertiesField } from './properties-field.tsx';
import { TokenPicker } from './token-picker.tsx';
import { WhenField } from './when-field.tsx';

interface DetailsProps {
  readonly draft: Draft;
  readonly bootstrap: Bootstrap | undefined;
  readonly problems: DraftProblems;
  readonly change: (patch: Partial<DraftContent>) => void;
}

/** Everything about an entry but its title, text and files. */
export function Details({ draft, bootstrap, problems, change }: DetailsProps) {
  const { t } = useTranslation('write');
  const { content, purpose, templateName } = draft;
  const logbooks = useWritableLogbooks(bootstrap);
  useOnlyLogbook(draft, logbooks, change);
  return (
    <>
      <LevelField
        levels={bootstrap?.configuration.levels ?? []}
        level={content.level || (bootstrap?.defaultLevel ?? '')}
        onChange={(level) => change({ level })}
      />
      <TokenPicker
        label={t('logbooks')}
        hint={content.logbooks.length === 0 ? t('addLogbook') : ''}
        chosen={content.logbooks}
        names={logbooks}
        problem={problems.logbooks}
        onChange={(names) => change({ logbooks: names })}
      />
      <TokenPicker
        label={t('tags')}
        hint={content.tags.length === 0 ? t('addTag') : ''}
        chosen={content.tags}
        names={bootstrap?.configuration.tags.map(({ name }) => name) ?? []}
        problem={problems.tags}
        onChange={(tags) => change({ tags })}
      />
      <WhenField
        times={timesOf(content)}
        isFixed={purpose.kind === 'edit'}
        isReported={problems.when !== undefined}
        onChange={(times) => change(withTimes(times))}
      />
      <PropertiesField
        properties={content.properties}
        definitions={bootstrap?.properties ?? []}
        note={templateName === undefined ? undefined : t('fromTemplate')}
        onChange={(properties) => change({ properties })}
      />
      {purpose.kind === 'new' && <SimilarToDraft content={content} />}
    </>
  );
}

function useWritableLogbooks(bootstrap: Bootstrap | undefined): string[] {
  const me = useMe();
  const closed = new Set(me?.userName == null ? [] : me.logbooks.filter(({ write }) => !write).map(({ name }) => name));
  return bootstrap?.configuration.logbooks.map(({ name }) => name).filter((name) => !closed.has(name)) ?? [];
}

/** Chooses the logbook if there is only one. */
function useOnlyLogbook(draft: Draft, logbooks: readonly string[], change: DetailsProps['change']): void {
  const only = logbooks.length === 1 ? logbooks[0] : undefined;
  const isMissing = draft.purpose.kind === 'new' && draft.content.logbooks.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, so that the logbook can be removed again
  useEffect(() => {
    if (only !== undefined && isMissing) change({ logbooks: [only] });
  }, [only]);
}
