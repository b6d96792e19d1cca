import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { focusContent } from '../app/page-focus.ts';
import { isComposing } from '../keys/is-composing.ts';
import { typedName } from './line.ts';
import type { LineState } from './use-line.ts';

interface LineInputProps {
  readonly line: LineState;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly problemId: string;
}

/** The field of the line, and the list of names that complete the word at its cursor. */
export function LineInput({ line, input, problemId }: LineInputProps) {
  const { t } = useTranslation('write');
  const id = useId();
  const names = useNames(line, input);
  const { options, active } = names;
  const isOpen = options.length > 0;
  return (
    <>
      <input
        ref={input}
        role="combobox"
        aria-label={t('line.label')}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={line.problem !== undefined}
        aria-describedby={line.problem === undefined ? undefined : problemId}
        placeholder={t('line.hint')}
        value={line.text}
        autoComplete="off"
        enterKeyHint="send"
        onChange={({ target }) => {
          names.moveTo(target.selectionStart ?? target.value.length);
          line.type(target.value);
        }}
        onSelect={({ currentTarget }) => names.moveTo(currentTarget.selectionStart ?? 0, true)}
        onKeyDown={(event) => onKey(event, line, names)}
        onPaste={(event) => onPaste(event, line)}
        onBlur={names.close}
      />
      {isOpen && (
        <div className="card line-options" id={id} role="listbox" aria-label={t('line.names')}>
          {options.map((option, at) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
            <div
              key={option}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === active}
              className={`option ${at === active ? 'on' : ''}`}
              // Before the field loses the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => names.choose(option)}
            >
              {option}
            </div>
          ))}
        </div>
      )}
    </>
  );
}

type Names = ReturnType<typeof useNames>;

function useNames(line: LineState, input: LineInputProps['input']) {
  /** Position of the cursor while names are offered. */
  const [cursor, setCursor] = useState<number>();
  const [chosen, setChosen] = useState<number>();
  /** Where the cursor goes as soon as the field has its new text. */
  const wanted = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with the text
  useLayoutEffect(() => {
    if (wanted.current !== undefined) input.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  }, [line.text]);
  const typed = cursor === undefined ? undefined : typedName(line.text, cursor, line.names);
  const options = typed?.options ?? [];
  // Enter sends a line whose last name is complete.
  const active = chosen ?? (typed?.isComplete === true ? -1 : 0);
  const close = () => {
    setCursor(undefined);
    setChosen(undefined);
  };
  return {
    options,
    active,
    close,
    /** Follows the cursor. One that only moves keeps the list, but does not open it. */
    moveTo: (position: number, isMoveOnly = false) => {
      if (isMoveOnly && (cursor === undefined || cursor === position)) return;
      setCursor(position);
      setChosen(undefined);
    },
    /** Marks the next name; before the first key, none may be marked. */
    step: (by: 1 | -1) => setChosen((Math.max(active, by === 1 ? -1 : 0) + by + options.length) % options.length),
    choose: (option: string) => {
      if (!typed) return;
      const before = `${line.text.slice(0, typed.from)}${option} `;
      line.type(before + line.text.slice(typed.to).trimStart());
      close();
      wanted.current = before.length;
    },
  };
}

function onKey(event: KeyboardEvent<HTMLInputElement>, line: LineState, names: Names): void {
  const { key, shiftKey, nativeEvent } = event;
  const option = names.options[names.active];
  const isListed = names.options.length > 0;
  if (isComposing(nativeEvent)) return;
  if (key === 'Enter') {
    event.preventDefault();
    if (shiftKey) void line.expand();
    else if (option !== undefined) names.choose(option);
    // A key that is held down chose a name before.
    else if (!nativeEvent.repeat) void line.post();
  } else if (key === 'Tab' && option !== undefined && !shiftKey) {
    event.preventDefault();
    names.choose(option);
  } else if ((key === 'ArrowDown' || key === 'ArrowUp') && isListed) {
    event.preventDefault();
    names.step(key === 'ArrowDown' ? 1 : -1);
  } else if (key === 'Escape') {
    event.preventDefault();
    if (isListed) names.close();
    else {
      event.currentTarget.blur();
      focusContent();
    }
  }
}

/** Files and several lines need the full editor. */
function onPaste(event: ClipboardEvent<HTMLInputElement>, line: LineState): void {
  const { clipboardData, currentTarget } = event;
  const pasted = clipboardData.getData('text/plain');
  const [first = '', ...more] = pasted.trim().split(/\r?\n/);
  const files = pasted === '' ? [...clipboardData.files] : [];
  if (more.length === 0 && files.length === 0) return;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = currentTarget;
  const whole = value.slice(0, selectionStart ?? value.length) + first + value.slice(selectionEnd ?? value.length);
  void line.expand({ line: whole, more: more.join('\n').trim(), files });
}
