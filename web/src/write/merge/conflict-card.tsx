import { TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { useFieldName } from './field-name.ts';
import type { MergeChange } from './merge-content.ts';
import { WordDiff } from './word-diff.tsx';

interface ConflictCardProps {
  readonly change: MergeChange;
  readonly by: string;
  readonly atMs: number;
  readonly place: string;
  /** The chosen text; undefined: the conflict is open. */
  readonly decided: string | undefined;
  readonly onDecide: (text: string) => void;
}

type Choice = 'theirs' | 'mine' | 'both';
const choices: readonly Choice[] = ['theirs', 'mine', 'both'];

/** A place that two users changed. The user chooses the text of the other user, their own, or a combination. */
export function ConflictCard({ change, by, atMs, place, decided, onDecide }: ConflictCardProps) {
  const { t } = useTranslation('write');
  const id = useId();
  const fieldName = useFieldName();
  const { base, mine, theirs, field, where } = change;
  const [choice, setChoice] = useState(() => choiceOf(change, decided));
  const [both, setBoth] = useState(choice === 'both' && decided !== undefined ? decided : joined(change));
  const choose = (one: Choice, text = both) => {
    setChoice(one);
    onDecide({ theirs, mine, both: text }[one]);
  };
  const onKeyDown = chooseByKey(choice, choose);
  const options: Record<Choice, { readonly label: string; readonly body: ReactNode }> = {
    theirs: { label: `${by}, ${formatTime(atMs)}`, body: shown(t('merge.empty'), base, theirs) },
    mine: { label: t('merge.you'), body: shown(t('merge.empty'), base, mine) },
    both: {
      label: t('merge.both'),
      body: (
        <GrowingText
          label={t('merge.bothLabel')}
          text={both}
          onFocus={() => choose('both')}
          onChange={(text) => {
            setBoth(text);
            choose('both', text);
          }}
        />
      ),
    },
  };
  const title =
    field === 'text' ? t('merge.textPlace', { line: where }) : t('merge.fieldPlace', { field: fieldName(change) });
  return (
    <div className={`conflict ${decided === undefined ? 'open' : ''}`}>
      <header id={id}>
        <Icon of={TriangleAlert} />
        {title}
        <span>{place}</span>
      </header>
      <div role="radiogroup" aria-labelledby={id} tabIndex={-1} onKeyDown={onKeyDown}>
        {choices.map((one) => (
          <Option
            key={one}
            {...options[one]}
            isChosen={choice === one}
            isFirst={choice === undefined && one === 'theirs'}
            onChoose={() => choose(one)}
          />
        ))}
      </div>
    </div>
  );
}

/** Returns the choice that led to a decided text. */
function choiceOf({ mine, theirs }: MergeChange, decided: string | undefined): Choice | undefined {
  if (decided === undefined) return undefined;
  return decided === theirs ? 'theirs' : decided === mine ? 'mine' : 'both';
}

/** Chooses with the arrow keys, or with 1, 2 and 3. */
const chooseByKey =
  (choice: Choice | undefined, choose: (one: Choice) => void) => (event: KeyboardEvent<HTMLElement>) => {
    if (event.target instanceof HTMLTextAreaElement) return;
    const at = { '1': 0, '2': 1, '3': 2 }[event.key] ?? step(event.key, choice);
    const chosen = at === undefined ? undefined : choices[at];
    if (chosen === undefined || at === undefined) return;
    event.preventDefault();
    choose(chosen);
    event.currentTarget.querySelectorAll<HTMLElement>('[role="radio"]')[at]?.focus();
  };

/** Joins the two texts for editing: the old text with both additions if each only adds to it, else theirs before mine. */
function joined({ field, base, theirs, mine }: MergeChange): string {
  if (base !== '' && theirs.startsWith(base) && mine.startsWith(base)) {
    return `${theirs.trimEnd()} ${mine.slice(base.length).trimStart()}`;
  }
  const gap = field === 'text' ? '\n' : ' ';
  return [theirs, mine].filter((text) => text !== '').join(gap);
}

function step(key: string, choice: Choice | undefined): number | undefined {
  const by = { ArrowDown: 1, ArrowUp: -1 }[key];
  const at = choice === undefined ? -1 : choices.indexOf(choice);
  return by === undefined ? undefined : (at + by + choices.length) % choices.length;
}

function shown(empty: string, base: string, text: string): ReactNode {
  return text === '' ? <i className="muted">{empty}</i> : <WordDiff from={base} to={text} withRemoved={false} />;
}

interface OptionProps {
  readonly label: string;
  readonly body: ReactNode;
  readonly isChosen: boolean;
  readonly isFirst: boolean;
  readonly onChoose: () => void;
}

function Option({ label, body, isChosen, isFirst, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a larger pointer target; the radio button is the control
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div className={`option ${isChosen ? 'chosen' : ''}`} onClick={onChoose}>
      {/* biome-ignore lint/a11y/useSemanticElements: a native radio button cannot have this look */}
      <button
        type="button"
        role="radio"
        aria-checked={isChosen}
        aria-label={label}
        tabIndex={isChosen || isFirst ? 0 : -1}
        className="radio"
      />
      <div>
        <span className="label">{label}</span>
        <div className="option-text">{body}</div>
      </div>
    </div>
  );
}

interface GrowingTextProps {
  readonly label: string;
  readonly text: string;
  readonly onFocus: () => void;
  readonly onChange: (text: string) => void;
}

/** A field as high as its text. */
function GrowingText({ label, text, onFocus, onChange }: GrowingTextProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useEffect(() => {
    const { current } = area;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);
  return (
    <textarea
      ref={area}
      aria-label={label}
      rows={1}
      value={text}
      onFocus={onFocus}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
