import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../api/api.ts';
import { problemText } from '../api/api-error.ts';
import type { Me } from '../api/types.ts';
import { dropKeys } from '../keys/held-keys.ts';
import { signIn, signOut, useMe } from './me.ts';
import { PasswordForm } from './password-form.tsx';
import type { SignInSearch } from './sign-in-search.ts';

/** Sign-in page. After sign-in, it returns to the previous page. */
export function SignInPage() {
  const { t } = useTranslation();
  const me = useMe();
  const router = useRouter();
  const { returnTo = '/' } = useSearch({ strict: false }) as SignInSearch;
  // Going back leads to the page before the sign-in.
  const goOn = () => router.history.replace(returnTo);
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
            {me?.signIn.evaluationUsers && (
              <EvaluationUsers users={me.signIn.evaluationUsers} onSignedIn={onSignedIn} />
            )}
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

interface EvaluationUsersProps {
  readonly users: NonNullable<Me['signIn']['evaluationUsers']>;
  readonly onSignedIn: () => void;
}

/** Lists the evaluation users, whose passwords are public. Pressing one signs in as that user. */
function EvaluationUsers({ users, onSignedIn }: EvaluationUsersProps) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<string>();
  const use = async ({ userName, password }: EvaluationUsersProps['users'][number]) => {
    try {
      await signIn(userName, password);
      onSignedIn();
    } catch (error) {
      setProblem(problemText(error));
    }
  };
  return (
    <section className="evaluation-users" aria-labelledby="evaluation-users">
      <h2 id="evaluation-users">{t('signInPage.trial')}</h2>
      <p className="muted">{t('signInPage.trialText')}</p>
      {users.map((user) => (
        <button key={user.userName} type="button" className="button" onClick={() => void use(user)}>
          <b>{user.userName}</b>
          <span className="muted">{user.password}</span>
        </button>
      ))}
      <p className="hint bad" role="alert">
        {problem}
      </p>
    </section>
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
