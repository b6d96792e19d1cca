import { useRouter, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '../api/api-error.ts';
import { useFocusBack } from '../app/use-focus-back.ts';
import { DiscardQuestion, useBlockedLeaving } from '../components/closing.tsx';
import { Modal } from '../components/modal.tsx';
import type { AdministrationSearch } from './administration-search.ts';

interface SideFormProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Stores the content of the form. The form shows an error that this throws. */
  readonly onSave?: ((form: FormData) => Promise<unknown>) | undefined;
  readonly saveLabel?: string | undefined;
  /** The button that removes the item. */
  readonly removal?: ReactNode;
}

/**
 * The form of one item, next to the list. Escape closes it. If something was changed, it asks before it is left, also by
 * the Back button or a link.
 */
export function SideForm({ title, children, onSave, saveLabel, removal }: SideFormProps) {
  const { t } = useTranslation('administration');
  const { t: tCommon } = useTranslation();
  const titleId = useId();
  useFocusBack();
  const [problem, setProblem] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const { handlers, noteTyping, forget, hasChanges } = useChanges(form);
  const question = useBlockedLeaving(hasChanges);
  const { leave, leaveOnEscape } = useLeave();
  useEffect(() => form.current?.querySelector<HTMLElement>('input:not([readonly]), textarea, select')?.focus(), []);
  const save = async (data: FormData) => {
    setProblem(undefined);
    forget();
    try {
      await onSave?.(data);
    } catch (error) {
      noteTyping();
      setProblem(problemText(error));
    }
  };
  return (
    <aside className="side-form" aria-labelledby={titleId}>
      <form
        ref={form}
        {...handlers}
        onSubmit={(event) => {
          event.preventDefault();
          void save(new FormData(event.currentTarget));
        }}
        onKeyDown={leaveOnEscape}
      >
        <h2 id={titleId} dir="auto">
          {title}
        </h2>
        {children}
        <p className="hint bad" role="alert">
          {problem}
        </p>
        <div className="row">
          {onSave && (
            <button type="submit" className="button primary">
              {saveLabel ?? t('save')}
            </button>
          )}
          <button type="button" className="button ghost" onClick={leave}>
            {tCommon(onSave ? 'cancel' : 'close')}
          </button>
          <span className="grow" />
          {removal}
        </div>
      </form>
      {question && (
        <Modal className="question" label={title} onClose={question.keep}>
          <DiscardQuestion onDiscard={question.discard} onKeep={question.keep} />
        </Modal>
      )}
    </aside>
  );
}

/** Leaves a form, which asks if it was changed. */
function useLeave() {
  const router = useRouter();
  const leave = () => void router.navigate({ to: '.', search: {} });
  const leaveOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    // The same key would close the question.
    event.preventDefault();
    leave();
  };
  return { leave, leaveOnEscape };
}

/**
 * Knows whether leaving the form would lose changes. Some buttons change the fields of a form without an event of it, so
 * the content is compared as well.
 */
function useChanges(form: RefObject<HTMLFormElement | null>) {
  const isTyped = useRef(false);
  /** Content before the first key or click. Fields whose data arrives late may change it until then. */
  const opened = useRef<string>(undefined);
  const noteContent = () => {
    opened.current ??= contentOf(form.current);
  };
  const noteTyping = () => {
    isTyped.current = true;
  };
  return {
    handlers: {
      onPointerDownCapture: noteContent,
      onKeyDownCapture: noteContent,
      onClickCapture: noteContent,
      onChange: noteTyping,
    },
    noteTyping,
    /** Content that is being saved is not lost when the form is left. */
    forget: () => {
      isTyped.current = false;
      opened.current = contentOf(form.current);
    },
    hasChanges: () =>
      form.current !== null &&
      (isTyped.current || (opened.current !== undefined && opened.current !== contentOf(form.current))),
  };
}

function contentOf(form: HTMLFormElement | null): string {
  return JSON.stringify(form ? [...new FormData(form)] : []);
}

/**
 * Returns a function that closes this form without a question, unless another one was opened while this one was being
 * saved.
 */
export function useCloseForm(): () => void {
  const router = useRouter();
  const own = useSearch({ strict: false }) as AdministrationSearch;
  return () => {
    const shown = router.state.location.search as AdministrationSearch;
    if (shown.item === own.item && shown.new === own.new)
      void router.navigate({ to: '.', search: {}, ignoreBlocker: true });
  };
}

interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly hint?: ReactNode;
  readonly isReadOnly?: boolean;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
}

export function TextField({ name, label, value = '', hint, isReadOnly, isRequired, maxLength }: TextFieldProps) {
  const hintId = useId();
  return (
    <div className="field">
      <label>
        <span className="label">{label}</span>
        <input
          className="input"
          name={name}
          defaultValue={value}
          readOnly={isReadOnly}
          required={isRequired}
          maxLength={maxLength}
          autoComplete="off"
          aria-describedby={hint === undefined ? undefined : hintId}
        />
      </label>
      {hint !== undefined && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The text of a field, without spaces around it. */
export function textOf(form: FormData, name: string): string {
  return String(form.get(name) ?? '').trim();
}
