import { CornerDownLeft, Maximize2 } from 'lucide-react';
import { useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../components/icon-button.tsx';
import { LevelGlyph } from '../components/level.tsx';
import type { Draft } from '../drafts/draft.ts';
import { useShortcut } from '../keys/use-shortcut.ts';
import { LineInput } from './line-input.tsx';
import { type ContinuedDraft, useContinuedDraft } from './use-continued-draft.ts';
import { useLine } from './use-line.ts';

interface LineComposerProps {
  /** The search of the list. An entry that names no logbook is filed under the one in it. */
  readonly query: string | undefined;
  readonly userName: string;
}

/** Writes an entry in one line. It is a draft like every other: kept as it is typed, and sent once. */
export function LineComposer({ query, userName }: LineComposerProps) {
  const draft = useContinuedDraft({
    key: 'line',
    userName,
    isWanted: isLine,
    begin: () => ({ purpose: { kind: 'new', inLine: true }, content: {} }),
  });
  return draft ? <Line draft={draft} query={query} /> : null;
}

/** Whether the line shows everything that the draft has. */
function isLine({ purpose, content, templateName }: Draft): boolean {
  const { text, files, properties, events } = content;
  const isShort = text === '' && files.length === 0 && properties.length === 0 && events.length === 0;
  return purpose.kind === 'new' && purpose.inLine === true && isShort && templateName === undefined;
}

function Line({ draft, query }: { readonly draft: ContinuedDraft; readonly query: string | undefined }) {
  const { t } = useTranslation('write');
  const input = useRef<HTMLInputElement>(null);
  const line = useLine(draft, query);
  const problemId = useId();
  useShortcut('line', () => input.current?.focus());
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
            onClick={() => void line.post()}
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
