import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Draft, DraftContent } from '../drafts/draft.ts';
import { useBootstrap, useMe } from '../session/me.ts';
import { checkDraft, checkSize, type DraftProblems } from './check-draft.ts';
import { useSettled } from './use-settled.ts';

/** Delay before a text is measured: measuring a long text after each key would slow down typing. */
const measureAfterMs = 300;

interface Problems {
  readonly problems: DraftProblems;
  /** Returns the problem with the size of a text. */
  readonly checkText: (content: DraftContent) => string | undefined;
}

/** Finds the problems of a draft; a problem with its size shortly after typing. */
export function useProblems(draft: Draft): Problems {
  const { t } = useTranslation('write');
  const bootstrap = useBootstrap();
  const me = useMe();
  const settled = useSettled(draft.content, measureAfterMs);
  const text = useMemo(() => checkSize(settled, bootstrap, t), [settled, bootstrap, t]);
  return {
    problems: { ...checkDraft(draft, { bootstrap, me }, t), text },
    checkText: (content) => checkSize(content, bootstrap, t),
  };
}
