import { ChevronRight } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { Keys } from '../components/keys.tsx';
import { LevelGlyph } from '../components/level.tsx';
import { Modal } from '../components/modal.tsx';
import { giveKeysTo } from '../keys/held-keys.ts';
import { isComposing } from '../keys/is-composing.ts';
import { type Command, commandGroups, labelParts, matchingCommands } from './commands.ts';
import { useCommands } from './use-commands.ts';
import { useFoundEntries } from './use-found-entries.ts';
import './palette.css';

/** Dialog that finds commands by parts of their names, and entries and devices. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('palette');
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  const commands = useCommands();
  const entries = useFoundEntries(text);
  const shown = [...matchingCommands(commands, text), ...entries];
  const current = Math.min(chosen, shown.length - 1);
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) giveKeysTo(input.current);
  }, []);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    // After the dialog has returned the focus.
    setTimeout(command.run);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const to = nextIndex(event.key, current, shown.length);
    if (to !== undefined) choose(to);
    else if (event.key === 'Enter') run(shown[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal className="palette" label={t('title')} onClose={onClose}>
      <div className="asked">
        <Icon of={ChevronRight} />
        <input
          ref={input}
          role="combobox"
          aria-label={t('command')}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={shown[current] && optionId(listId, current)}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={t('placeholder')}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            choose(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <CommandList id={listId} commands={shown} current={current} text={text} onRun={run} onPoint={choose} />
    </Modal>
  );
}

const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** Returns the position to which a key moves in a list of `count` items; undefined for other keys. */
function nextIndex(key: string, from: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (from + 1) % count;
  if (key === 'ArrowUp') return (from - 1 + count) % count;
  if (key === 'PageDown') return Math.min(from + 8, count - 1);
  if (key === 'PageUp') return Math.max(from - 8, 0);
  return undefined;
}

interface CommandListProps {
  readonly id: string;
  readonly commands: readonly Command[];
  readonly current: number;
  readonly text: string;
  readonly onRun: (command: Command) => void;
  readonly onPoint: (index: number) => void;
}

function CommandList({ id, commands, current, text, onRun, onPoint }: CommandListProps) {
  const { t } = useTranslation('palette');
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`#${CSS.escape(optionId(id, current))}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);
  return (
    <div ref={list} className="commands" id={id} role="listbox" aria-label={t('title')} tabIndex={-1}>
      {commandGroups.map((group) => {
        const ofGroup = commands.filter((command) => command.group === group);
        if (ofGroup.length === 0) return null;
        return (
          // biome-ignore lint/a11y/useSemanticElements: a part of a list box
          <div key={group} role="group" aria-label={t(`commandGroups.${group}`)}>
            <h2 role="presentation">{t(`commandGroups.${group}`)}</h2>
            {ofGroup.map((command) => {
              const index = commands.indexOf(command);
              return (
                <Option
                  key={command.id}
                  id={optionId(id, index)}
                  command={command}
                  isCurrent={index === current}
                  text={text}
                  onRun={() => onRun(command)}
                  onPoint={() => onPoint(index)}
                />
              );
            })}
          </div>
        );
      })}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly command: Command;
  readonly isCurrent: boolean;
  readonly text: string;
  readonly onRun: () => void;
  readonly onPoint: () => void;
}

function Option({ id, command, isCurrent, text, onRun, onPoint }: OptionProps) {
  const { icon, label, keys, note } = command;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    <div id={id} className="command" role="option" aria-selected={isCurrent} onClick={onRun} onPointerMove={onPoint}>
      {'level' in icon ? <LevelGlyph level={icon.level} /> : <Icon of={icon} />}
      <span className="cut">
        {labelParts(label, text).map((part, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids
          part.isMatch ? <b key={at}>{part.text}</b> : <span key={at}>{part.text}</span>,
        )}
      </span>
      <span className="end">
        {note}
        {keys && (
          <span className="pressed">
            <Keys of={keys} />
          </span>
        )}
      </span>
    </div>
  );
}
