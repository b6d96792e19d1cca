import { Cpu, Hash, Search, Tag, User } from 'lucide-react';
import { formatNumber } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { Option } from '../components/option.tsx';
import type { Choice, ChoiceGroup } from './choice.ts';
import { lastWord } from './use-draft.ts';

interface SuggestionListProps {
  readonly id: string;
  readonly groups: readonly ChoiceGroup[];
  readonly active: number;
  readonly typed: string;
  readonly onChoose: (choice: Choice) => void;
}

/** The completions below the box. The focus stays in the box; the arrows move a mark. */
export function SuggestionList({ id, groups, active, typed, onChoose }: SuggestionListProps) {
  const all = groups.flatMap(({ choices }) => choices);
  const word = lastWord(typed).replace(/^-/, '').replace(/^.*=/, '');
  return (
    <div className="card suggestions" id={id} role="listbox" aria-label={groups[0]?.label}>
      {groups.map(({ label, choices }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options
        <div key={label} role="group" aria-label={label}>
          <div className="group-label" role="presentation">
            {label}
          </div>
          {choices.map((choice) => {
            const at = all.indexOf(choice);
            return (
              <Option key={choice.text} listId={id} at={at} isMarked={at === active} onChoose={() => onChoose(choice)}>
                <Icon of={iconOf(choice)} />
                <span className={choice.isDevice ? 'device cut' : 'cut'}>
                  <Marked text={choice.text} word={word} />
                </span>
                <span className="end number">
                  {choice.end ?? (choice.count === undefined ? '' : formatNumber(choice.count))}
                </span>
              </Option>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function iconOf({ text, entryId, pageOf, isDevice }: Choice) {
  if (entryId !== undefined) return Hash;
  if (pageOf !== undefined) return Cpu;
  if (isDevice) return Tag;
  return text.includes('=') ? User : Search;
}

/** The text with the typed part of it in bold. */
function Marked({ text, word }: { readonly text: string; readonly word: string }) {
  const at = word === '' ? -1 : text.toLowerCase().lastIndexOf(word.toLowerCase());
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <b>{text.slice(at, at + word.length)}</b>
      {text.slice(at + word.length)}
    </>
  );
}
