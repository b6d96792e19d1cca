import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DraftContent } from '../drafts/draft.ts';
import { rememberLogbooks } from '../drafts/last-logbooks.ts';
import type { OpenDraft } from '../drafts/open-draft.ts';
import { sendDraft } from '../drafts/send-draft.ts';
import type { ContinuedDraft } from '../drafts/use-continued-draft.ts';
import { holdKeys } from '../keys/held-keys.ts';
import { useBootstrap, useMe } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { checkDraft } from '../write/check-draft.ts';
import { handFiles } from '../write/files/handed-files.ts';
import { useDraftState } from '../write/use-draft.ts';
import { useSessionEnd } from '../write/use-session-end.ts';
import { type LineNames, readLine, writeLine } from './line.ts';
import { usualLogbooks } from './usual-logbooks.ts';

interface Expansion {
  readonly line?: string;
  readonly more?: string;
  readonly files?: readonly File[];
}

export type LineState = ReturnType<typeof useLine>;

/** Manages the text of the line, its draft and the actions on them. */
export function useLine({ open, restart }: ContinuedDraft, query: string | undefined) {
  const { t } = useTranslation('write');
  const navigate = useNavigate();
  const bootstrap = useBootstrap();
  const me = useMe();
  const names = useLineNames();
  const usual = usualLogbooks(query, names.logbooks);
  const { draft, foreign } = useDraftState(open);
  useSessionEnd(open);
  const [problem, setProblem] = useState<string>();
  const [text, setText] = useText({ open, foreign }, () => textOf(draft.content, usual));
  const read = (line: string): Pick<DraftContent, 'title' | 'level' | 'logbooks' | 'tags'> => {
    const content = readLine(line, names);
    return content.logbooks.length > 0 ? content : { ...content, logbooks: usual };
  };
  const type = (line: string) => {
    setProblem(undefined);
    setText(line);
    open.change(read(line));
  };
  const post = async () => {
    if (text.trim() === '') return;
    // The names of the catalogue may have loaded after the text was typed.
    open.change(read(text));
    const { title, logbooks, ...others } = checkDraft(open.draft, { bootstrap, me }, t);
    const isMissing = open.draft.content.logbooks.length === 0;
    const [first] = [title, isMissing ? missingLogbook(t, names) : logbooks, ...Object.values(others)].filter(
      (one) => one !== undefined,
    );
    if (first !== undefined) return setProblem(first);
    rememberLogbooks(open.draft.content.logbooks);
    // The next key belongs to the next entry.
    restart();
    await sendDraft(open).catch(showProblem);
  };
  /** Continues in the full editor, with more text and files if there are any. The editor gets the next keys. */
  const expand = async ({ line = text, more = '', files = [] }: Expansion = {}) => {
    handFiles(files);
    holdKeys();
    // Another tab may have added a text, or sent the entry.
    if (line.trim() === '' || !(await open.follow())) return navigate({ to: '/write' as '/' });
    const text = [open.draft.content.text, more].filter((part) => part !== '').join('\n\n');
    open.change({ ...read(line), text });
    await open.store();
    return navigate({ to: `/write/${open.draft.id}` as '/' });
  };
  const { title, level, logbooks, tags } = read(text);
  return {
    text,
    names,
    isBegun: text.trim() !== '',
    level: level || bootstrap?.defaultLevel || 'Info',
    /** Level, logbooks and tags that the entry will have. */
    facts: title === '' ? [] : [...(level === '' ? [] : [level]), ...logbooks, ...tags],
    problem,
    type,
    post,
    expand,
  };
}

/** Manages the text of the line. Another draft, or other content in the draft, replaces the text. */
function useText(
  { open, foreign }: { readonly open: OpenDraft; readonly foreign: number },
  begin: () => string,
): [string, (text: string) => void] {
  const [stored, store] = useState(() => ({ open, foreign, text: begin() }));
  const isCurrent = stored.open === open && stored.foreign === foreign;
  const current = isCurrent ? stored : { open, foreign, text: begin() };
  if (!isCurrent) store(current);
  return [current.text, (text) => store({ open, foreign, text })];
}

function missingLogbook(t: TFunction<'write'>, { logbooks: [name] }: LineNames): string {
  return name === undefined ? t('line.noLogbookAtAll') : t('line.noLogbook', { name });
}

function textOf(content: DraftContent, usual: readonly string[]): string {
  const isUsual = content.logbooks.join('\n') === usual.join('\n');
  return writeLine(isUsual ? { ...content, logbooks: [] } : content);
}

/** The names that the line can have: logbooks only if the user may write to them. */
function useLineNames(): LineNames {
  const configuration = useBootstrap()?.configuration;
  const me = useMe();
  return useMemo(() => {
    const { levels = [], logbooks = [], tags = [] } = configuration ?? {};
    const closed = me?.userName == null ? [] : me.logbooks.filter(({ write }) => !write);
    const isOpen = (name: string) => !closed.some((one) => one.name === name);
    return {
      levels,
      logbooks: logbooks.map(({ name }) => name).filter(isOpen),
      tags: tags.map(({ name }) => name),
    };
  }, [configuration, me]);
}
