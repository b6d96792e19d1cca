import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { dropKeys, giveKeysTo } from '../keys/held-keys.ts';
import { signIn, signOut, useMe } from './me.ts';
import type { SignInSearch } from './sign-in-search.ts';
import './sign-in.css';

/** The page to sign in; afterwards one is where one came from. */
export function SignInPage() {
  const { t } = useTranslation();
  const me = useMe();
  const router = useRouter();
  const { returnTo = '/' } = useSearch({ strict: false }) as SignInSearch;
  const goOn = () => router.history.push(returnTo);
  const hasPassword = me?.signIn.password !== false;
  const isAsking = hasPassword && typeof me?.userName !== 'string';
  useEffect(() => {
    if (!isAsking) dropKeys();
  }, [isAsking]);
  return (
    <main className="sign-in-page">
      <section className="card sign-in-card" aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">{t('signInPage.title')}</h1>
        {typeof me?.userName === 'string' ? (
          <SignedIn name={me.displayName ?? me.userName} onGoOn={goOn} />
        ) : (
          <>
            <p className="muted">{t('signInPage.text')}</p>
            {hasPassword && <PasswordForm onSignedIn={goOn} />}
            {hasPassword && me?.signIn.oidc && <p className="or">{t('signInPage.or')}</p>}
            {me?.signIn.oidc && (
              <a className="button" href={apiUrl('/login/oidc', { returnTo })}>
                {t('signInPage.oidc')}
              </a>
            )}
            <Link className="button ghost" to="/">
              {t('signInPage.later')}
            </Link>
          </>
        )}
      </section>
    </main>
  );
}

function SignedIn({ name, onGoOn }: { readonly name: string; readonly onGoOn: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="muted">{t('signInPage.already', { name })}</p>
      <button type="button" className="button primary" onClick={onGoOn}>
        {t('signInPage.goOn')}
      </button>
      <button type="button" className="button ghost" onClick={() => void signOut()}>
        {t('signOut')}
      </button>
    </>
  );
}

interface PasswordFormProps {
  readonly onSignedIn: () => void;
  /** Label of the button. Default: “Sign in”. */
  readonly submitLabel?: string | undefined;
  /** Who signs in again. */
  readonly userName?: string | undefined;
}

/** User name and password. Used by the page, and in place where a session has ended. */
export function PasswordForm({ onSignedIn, submitLabel, userName }: PasswordFormProps) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const form = useFocusedForm(userName === undefined ? 'username' : 'password');
  const submit = async (data: FormData) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(String(data.get('username')), String(data.get('password')));
      onSignedIn();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) setProblem(t('signInPage.wrong'));
      else if (error instanceof ApiError && error.isOffline) setProblem(t('signInPage.offline'));
      else setProblem(error instanceof Error ? error.message : String(error));
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

/** Focuses a field of a form when it shows up. */
function useFocusedForm(name: string): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement>(`input[name="${name}"]`);
    if (field) giveKeysTo(field);
  }, [name]);
  return form;
}
