import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, problemText } from '../api/api-error.ts';
import { isFocusFree } from '../app/page-focus.ts';
import { areKeysHeld, giveKeysTo } from '../keys/held-keys.ts';
import { signIn } from './me.ts';
import './sign-in.css';

interface PasswordFormProps {
  readonly onSignedIn: () => void;
  /** Label of the button. Default: “Sign in”. */
  readonly submitLabel?: string | undefined;
  /** The user who signs in again. */
  readonly userName?: string | undefined;
  /** Whether the user asked for the form, which then takes the focus in any case. Default: true. */
  readonly isAsked?: boolean;
}

/** User name and password, for the sign-in page, and for pages whose session has ended. */
export function PasswordForm({ onSignedIn, submitLabel, userName, isAsked = true }: PasswordFormProps) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const form = useFocusedForm(userName === undefined ? 'username' : 'password', isAsked);
  const submit = async (data: FormData) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(String(data.get('username')), String(data.get('password')));
      onSignedIn();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) setProblem(t('signInPage.wrong'));
      else setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit(new FormData(event.currentTarget));
      }}
    >
      <label className="field">
        <span className="label">{t('signInPage.user')}</span>
        <input
          className="input"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          defaultValue={userName}
          required
        />
      </label>
      <label className="field">
        <span className="label">{t('signInPage.password')}</span>
        <input
          className="input"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          aria-invalid={problem !== undefined}
          aria-describedby="sign-in-problem"
        />
      </label>
      <p id="sign-in-problem" className="hint bad" role="alert">
        {problem}
      </p>
      <button type="submit" className="button primary" aria-disabled={isBusy}>
        {submitLabel ?? t('signInPage.submit')}
      </button>
    </form>
  );
}

/**
 * Focuses a field of a form when the form appears, not when the user changes. A form that appears unasked does not take
 * the focus from someone who types, or what is typed for a text that is still being loaded.
 */
function useFocusedForm(name: string, isAsked: boolean): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the form appears, not later
  useEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement>(`input[name="${name}"]`);
    if (field && (isAsked || (isFocusFree() && !areKeysHeld()))) giveKeysTo(field);
  }, []);
  return form;
}
