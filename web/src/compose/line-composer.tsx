import { CornerDownLeft, Maximize2 } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../components/icon-button.tsx';
import { LevelGlyph } from '../components/level.tsx';
import type { Draft } from '../drafts/draft.ts';
import { timesOf } from '../drafts/draft-times.ts';
import { type ContinuedDraft, useContinuedDraft } from '../drafts/use-continued-draft.ts';
import { areKeysHeld, giveKeysTo, holdKeys, readTyped } from '../keys/held-keys.ts';
import { useShortcut } from '../keys/use-shortcut.ts';
import { AwaitedLine } from './awaited-line.tsx';
import { LineInput } from './line-input.tsx';
import { useLine } from './use-line.ts';

export interface LineComposerProps {
  /** The search of the list. A logbook in it is the default of an entry that names none. */
  readonly query: string | undefined;
  readonly userName: string;
  /** Whether the user asked for the line before it had loaded. */
  readonly isAsked: RefObject<boolean>;
}

/** Writes an entry in one line. It is an ordinary draft: kept as it is typed, and sent once. */
export function LineComposer({ query, userName, isAsked }: LineComposerProps) {
  const draft = useContinuedDraft({
    key: `line ${userName}`,
    userName,
    isWanted: isLine,
    beginning: { purpose: { kind: 'new', inLine: true }, content: {} },
  });
  return draft ? <Line {...{ draft, query, isAsked }} /> : <AwaitedLine isAsked={isAsked} />;
}

/** Whether the line can show the whole draft. */
function isLine({ purpose, content, templateName }: Draft): boolean {
  const { text, files, properties } = content;
  const isShort = text === '' && files.length === 0 && properties.length === 0 && timesOf(content).length === 0;
  return purpose.kind === 'new' && purpose.inLine === true && isShort && templateName === undefined;
}

function Line({ draft, query, isAsked }: Omit<LineComposerProps, 'userName'> & { readonly draft: ContinuedDraft }) {
  const { t } = useTranslation('write');
  const input = useRef<HTMLInputElement>(null);
  const line = useLine(draft, query);
  const problemId = useId();
  const focus = () => input.current?.focus();
  useShortcut('line', focus);
  useEffect(() => {
    // After Escape or a click elsewhere, no keys are held, and the line does not take the focus.
    const isTyped = readTyped('line') !== '';
    if (isTyped) holdKeys('line');
    if ((isTyped || isAsked.current) && areKeysHeld() && input.current) giveKeysTo(input.current);
    isAsked.current = false;
  }, [isAsked]);
  return (
    <>
      <LevelGlyph level={line.level} />
      <LineInput line={line} input={input} problemId={problemId} />
      {line.isBegun && (
        <>
          <span className="line-names" aria-live="polite">
            {line.facts.map((fact) => (
              <span key={fact} className="chip">
                <span className="cut">{fact}</span>
              </span>
            ))}
          </span>
          <IconButton
            small
            className="primary"
            icon={CornerDownLeft}
            label={t('line.post')}
            keys="⏎"
            onClick={() => {
              // The button disappears with the text.
              focus();
              void line.post();
            }}
          />
        </>
      )}
      <IconButton small icon={Maximize2} label={t('expand')} keys="Shift ⏎" onClick={() => void line.expand()} />
      {line.problem !== undefined && (
        <p className="card line-problem" id={problemId} role="alert">
          {line.problem}
        </p>
      )}
    </>
  );
}
