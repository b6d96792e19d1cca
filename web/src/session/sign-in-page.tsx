import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../api/api.ts';
import { dropKeys } from '../keys/held-keys.ts';
import { signOut, useMe } from './me.ts';
import { PasswordForm } from './password-form.tsx';
import type { SignInSearch } from './sign-in-search.ts';

/** The page to sign in, which then returns to the previous page. */
export function SignInPage() {
  const { t } = useTranslation();
  const me = useMe();
  const router = useRouter();
  const { returnTo = '/' } = useSearch({ strict: false }) as SignInSearch;
  const goOn = () => router.history.push(returnTo);
  const onSignedIn = () => {
    // Anyone who has opened another page in the meantime stays there.
    if (router.history.location.pathname === '/sign-in') goOn();
  };
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
            {hasPassword && <PasswordForm onSignedIn={onSignedIn} />}
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
