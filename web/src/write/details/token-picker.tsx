import { X } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/icon.tsx';
import { isComposing } from '../../keys/is-composing.ts';
import '../../components/menu.css';
import './token-picker.css';

interface TokenPickerProps {
  readonly label: string;
  readonly hint: string;
  readonly chosen: readonly string[];
  readonly names: readonly string[];
  readonly problem?: string | undefined;
  readonly onChange: (chosen: readonly string[]) => void;
}

const maxOptions = 50;

/** Chooses several names of a catalogue: a box with the chosen ones, and a list that typing narrows. */
export function TokenPicker({ label, hint, chosen, names, problem, onChange }: TokenPickerProps) {
  const { t } = useTranslation('write');
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const picker = usePicker({ chosen, names, onChange });
  const { text, options, active, isOpen } = picker;
  const remove = (name: string) => {
    onChange(chosen.filter((one) => one !== name));
    input.current?.focus();
  };
  return (
    <div className="field token-picker">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <div
        className={`input tokens ${problem === undefined ? '' : 'bad'}`}
        onPointerDown={(event) => focusInput(event, input.current)}
      >
        {chosen.map((name) => (
          <Token key={name} name={name} onRemove={() => remove(name)} />
        ))}
        <input
          id={id}
          ref={input}
          role="combobox"
          aria-expanded={isOpen && options.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && options[active] !== undefined ? `${id}-${active}` : undefined}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          autoComplete="off"
          placeholder={hint}
          value={text}
          onChange={(event) => picker.type(event.target.value)}
          onFocus={picker.open}
          onClick={picker.open}
          onBlur={picker.close}
          onKeyDown={picker.onKeyDown}
        />
      </div>
      <Options {...{ id, label, options, active }} isOpen={isOpen} onChoose={picker.add} />
      {isOpen && text.trim() !== '' && options.length === 0 && (
        <p className="popover token-options hint" role="status">
          {t('nothingFound')}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="hint bad">
          {problem}
        </p>
      )}
    </div>
  );
}

function Token({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) {
  const { t } = useTranslation('write');
  return (
    <span className="picked">
      <span className="cut">{name}</span>
      <button type="button" aria-label={t('removeName', { name })} onClick={onRemove}>
        <Icon of={X} />
      </button>
    </span>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly string[];
  readonly active: number;
  readonly isOpen: boolean;
  readonly onChoose: (name: string) => void;
}

function Options({ id, label, options, active, isOpen, onChoose }: OptionsProps) {
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      className="popover token-options"
      hidden={!isOpen || options.length === 0}
    >
      {options.map((name, at) => (
        <div
          key={name}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          className="menu-item"
          // The focus stays in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(name)}
          onKeyDown={undefined}
        >
          {name}
        </div>
      ))}
    </div>
  );
}

function focusInput(event: React.PointerEvent, input: HTMLInputElement | null): void {
  if (event.target !== event.currentTarget) return;
  event.preventDefault();
  input?.focus();
}

function usePicker({ chosen, names, onChange }: Pick<TokenPickerProps, 'chosen' | 'names' | 'onChange'>) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const options = findOptions(names, chosen, text.trim().toLowerCase());
  const add = (name: string) => {
    onChange([...chosen, name]);
    setText('');
    setActive(0);
    setOpen(false);
  };
  const move = (by: number) => {
    if (isOpen) setActive((active + by + options.length) % Math.max(options.length, 1));
    setOpen(true);
    return true;
  };
  const keys: Record<string, (event: KeyboardEvent) => boolean> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: ({ ctrlKey, metaKey }) => {
      const name = options[active];
      if (ctrlKey || metaKey) return false;
      if (isOpen && name !== undefined) add(name);
      return true;
    },
    Escape: () => {
      setOpen(false);
      return isOpen;
    },
    Backspace: () => {
      const isRemoving = text === '' && chosen.length > 0;
      if (isRemoving) onChange(chosen.slice(0, -1));
      return isRemoving;
    },
  };
  return {
    text,
    options,
    active: Math.min(active, Math.max(options.length - 1, 0)),
    isOpen,
    add,
    type: (typed: string) => {
      setText(typed);
      setActive(0);
      setOpen(true);
    },
    open: () => setOpen(true),
    close: () => {
      setOpen(false);
      setText('');
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (isComposing(event.nativeEvent) || !keys[event.key]?.(event)) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

function findOptions(names: readonly string[], chosen: readonly string[], wanted: string): string[] {
  return names
    .filter((name) => !chosen.includes(name) && name.toLowerCase().includes(wanted))
    .sort((one, other) => rank(one, wanted) - rank(other, wanted))
    .slice(0, maxOptions);
}

/** Names that begin with what is typed come first. */
const rank = (name: string, wanted: string): number => (name.toLowerCase().startsWith(wanted) ? 0 : 1);
