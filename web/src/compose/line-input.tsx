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
import { Option } from '../components/option.tsx';
import { comboboxProps, useOptions } from '../components/use-options.ts';
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
  const { options, active, onTab } = names;
  const isOpen = options.length > 0;
  return (
    <>
      <input
        ref={input}
        {...comboboxProps(id, isOpen, active)}
        aria-label={t('line.label')}
        aria-invalid={line.problem !== undefined}
        aria-describedby={line.problem === undefined ? undefined : problemId}
        placeholder={t('line.hint')}
        value={line.text}
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
            <Option key={option} listId={id} at={at} isMarked={at === active} onChoose={() => names.choose(option)}>
              {option}
              {option === onTab && <kbd>⇥</kbd>}
            </Option>
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
  /** Cursor position to set once the field has its new text. */
  const wanted = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the text changes
  useLayoutEffect(() => {
    if (wanted.current !== undefined) input.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  }, [line.text]);
  const typed = cursor === undefined ? undefined : typedName(line.text, cursor, line.names);
  const options = typed?.options ?? [];
  const close = () => {
    setCursor(undefined);
    unmark();
  };
  const choose = (option: string) => {
    if (!typed) return;
    const before = `${line.text.slice(0, typed.from)}${option} `;
    line.type(before + line.text.slice(typed.to).trimStart());
    close();
    wanted.current = before.length;
  };
  const { active, unmark, onKey } = useOptions({ options, onChoose: choose, onClose: close });
  return {
    options,
    active,
    /** The name that Tab chooses: the marked one, or the first one if the word is not a name yet. */
    onTab: options[active] ?? (typed?.isComplete === false ? options[0] : undefined),
    close,
    choose,
    onKey,
    /** Follows the cursor. A movement alone keeps an open list, but opens none. */
    moveTo: (position: number, isMoveOnly = false) => {
      if (isMoveOnly && (cursor === undefined || cursor === position)) return;
      setCursor(position);
      unmark();
    },
  };
}

function onKey(event: KeyboardEvent<HTMLInputElement>, line: LineState, names: Names): void {
  const { key, shiftKey, nativeEvent } = event;
  if (names.onKey(event)) return;
  if (key === 'Tab' && !shiftKey && names.onTab !== undefined) {
    event.preventDefault();
    names.choose(names.onTab);
  } else if (key === 'Enter') {
    event.preventDefault();
    if (shiftKey) void line.expand();
    // A held key may just have chosen a name.
    else if (!nativeEvent.repeat) void line.post();
  }
}

/** Continues in the full editor if files or several lines are pasted. */
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
